// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/target.h"

#include <algorithm>

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include "compiler/frontend/host.h"
#include "compiler/frontend/marks/call_marks.h"
#include "compiler/frontend/prepare.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

constexpr const char *kCpu = "target-cpu";
constexpr const char *kTuned = "tune-cpu";
constexpr const char *kFeatures = "target-features";

StringRef features_of(const Function &function) {
  return function.getFnAttribute(kFeatures).getValueAsString();
}

// In "+avx,-avx2", a later feature overrides an earlier one.
StringMap<bool> parsed(StringRef features) {
  StringMap<bool> found;
  SmallVector<StringRef> each;
  features.split(each, ',', -1, /*KeepEmpty=*/false);
  for (const StringRef feature : each)
    found[feature.drop_front()] = feature.front() == '+';
  return found;
}

std::string united(StringRef native) {
  return native.empty() ? host().features : host().features + "," + native.str();
}

// For code that respects the rounding mode (-frounding-math).
void split_constrained(IntrinsicInst &fused) {
  IRBuilder<> builder(&fused);
  builder.setFastMathFlags(fused.getFastMathFlags());
  const auto make = [&](Intrinsic::ID operation, llvm::Value *left, llvm::Value *right) {
    CallInst *made =
        builder.CreateIntrinsic(operation, {fused.getType()},
                                {left, right, fused.getArgOperand(3), fused.getArgOperand(4)});
    made->addFnAttr(Attribute::StrictFP);
    return made;
  };
  llvm::Value *product = make(Intrinsic::experimental_constrained_fmul, fused.getArgOperand(0),
                              fused.getArgOperand(1));
  fused.replaceAllUsesWith(
      make(Intrinsic::experimental_constrained_fadd, product, fused.getArgOperand(2)));
  fused.eraseFromParent();
}

// Native code for a machine without fused multiply-add rounds the product. Variants must do the
// same, even if this machine has the instruction.
void keep_native_rounding(Function &function) {
  if (!host().triple.isX86() || parsed(features_of(function)).lookup("fma"))
    return;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    if (isa<FPMathOperator>(instruction) && instruction.hasAllowContract())
      instruction.setHasAllowContract(false);
    auto *fused = dyn_cast<IntrinsicInst>(&instruction);
    if (fused && fused->getIntrinsicID() == Intrinsic::experimental_constrained_fmuladd) {
      split_constrained(*fused);
      continue;
    }
    if (!fused || fused->getIntrinsicID() != Intrinsic::fmuladd)
      continue;
    IRBuilder<> builder(fused);
    builder.setFastMathFlags(fused->getFastMathFlags());
    llvm::Value *product = builder.CreateFMul(fused->getArgOperand(0), fused->getArgOperand(1));
    fused->replaceAllUsesWith(builder.CreateFAdd(product, fused->getArgOperand(2)));
    fused->eraseFromParent();
  }
}

unsigned widest_register(StringRef features) {
  if (!host().triple.isX86())
    return 128;
  const StringMap<bool> known = parsed(features);
  return known.lookup("avx512f") ? 512 : known.lookup("avx") ? 256 : 128;
}

std::uint64_t widest_vector(const Type &type) {
  if (const auto *vector = dyn_cast<FixedVectorType>(&type))
    return vector->getPrimitiveSizeInBits().getFixedValue();
  std::uint64_t widest = 0;
  if (type.isAggregateType() || type.isFunctionTy())
    for (const Type *part : type.subtypes())
      widest = std::max(widest, widest_vector(*part));
  return widest;
}

bool is_ours_alone(const Function &function) {
  return !function.isDeclaration() && function.hasLocalLinkage() && !is_handler(function) &&
         !function.hasAddressTaken();
}

/// Finds the functions that must pass vectors as the native code does.
class VectorInterfaces {
public:
  explicit VectorInterfaces(Module &module) {
    for (Function &function : module)
      if (!function.isDeclaration() && exchanges_with_native(function))
        found_.insert(&function);
    for (unsigned i = 0; i < found_.size(); ++i)
      spread(*found_[i]);
  }

  [[nodiscard]] bool contain(Function &function) const { return found_.contains(&function); }

private:
  static bool is_passed_otherwise(const Function &by, const Type &type) {
    const std::uint64_t widest = widest_vector(type);
    if (widest <= 128)
      return false;
    const auto there = widest_register(features_of(by));
    const auto here = widest_register(united(features_of(by)));
    return std::min<std::uint64_t>(widest, there) != std::min<std::uint64_t>(widest, here);
  }

  static bool exchanges_with_native(Function &function) {
    if (!is_ours_alone(function) && is_passed_otherwise(function, *function.getFunctionType()))
      return true;
    return llvm::any_of(instructions(function), [&](const Instruction &instruction) {
      const auto *call = dyn_cast<CallBase>(&instruction);
      const Function *callee = call ? call->getCalledFunction() : nullptr;
      return call && !(callee && (callee->isIntrinsic() || is_ours_alone(*callee))) &&
             is_passed_otherwise(function, *call->getFunctionType());
    });
  }

  // Callees are to be inlined, and callers that pass vectors to such a function must pass them as
  // it expects.
  void spread(Function &function) {
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallBase>(&instruction))
        if (Function *callee = call->getCalledFunction(); callee && !callee->isDeclaration())
          found_.insert(callee);
    if (is_passed_otherwise(function, *function.getFunctionType()))
      for (User *user : function.users())
        if (auto *call = dyn_cast<CallBase>(user); call && call->getCalledFunction() == &function)
          found_.insert(call->getFunction());
  }

  SetVector<Function *> found_;
};

// Wrappers are created without target attributes and take those of their callers.
void target_call_points(Module &module) {
  for (Function &function : module)
    if (is_call_point(function))
      for (const User *user : function.users())
        if (const auto *call = dyn_cast<CallBase>(user))
          target_like(function, *call->getFunction());
}

} // namespace

void target_this_machine(Module &module) {
  target_call_points(module);
  const VectorInterfaces native_vectors(module);
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    keep_native_rounding(function);
    function.addFnAttr(kTuned, host().cpu);
  }
  for (Function &function : module) {
    if (function.isDeclaration() || native_vectors.contain(function))
      continue;
    function.removeFnAttr(kTuned);
    function.addFnAttr(kCpu, host().cpu);
    function.addFnAttr(kFeatures, united(features_of(function)));
  }
}

void target_like(Function &made, const Function &like) {
  for (const Attribute attribute : like.getAttributes().getFnAttrs())
    if (attribute.isStringAttribute() && !attribute.getKindAsString().starts_with("sartor-") &&
        !attribute.getKindAsString().starts_with("patchable-function") &&
        attribute.getKindAsString() !=
            "split-stack") // the callee's use of split stacks in the program is not known
      made.addFnAttr(attribute);
  for (const auto kind :
       {Attribute::SpeculativeLoadHardening, Attribute::NoImplicitFloat, Attribute::NoRedZone,
        Attribute::StackProtect, Attribute::StackProtectReq, Attribute::StackProtectStrong})
    if (like.hasFnAttribute(kind))
      made.addFnAttr(kind);
}

bool may_inline(const Function &callee, const Function &caller) {
  const StringRef needed = features_of(callee);
  const StringRef allowed = features_of(caller);
  if (needed == allowed)
    return true;
  const StringMap<bool> has = parsed(allowed);
  return all_of(parsed(needed), [&](const auto &feature) {
    return !feature.getValue() || has.lookup(feature.getKey());
  });
}

} // namespace sartor::compiler
