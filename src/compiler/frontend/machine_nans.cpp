// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/machine_nans.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "compiler/frontend/llvm_version.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

bool is_multiply_add(const Instruction &instruction) {
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call &&
         (call->getIntrinsicID() == Intrinsic::fma || call->getIntrinsicID() == Intrinsic::fmuladd);
}

// True for formats that the processor computes; functions compute the others.
bool makes_nans(const Instruction &instruction) {
  const Type *type = instruction.getType()->getScalarType();
  return (type->isHalfTy() || type->isBFloatTy() || type->isFloatTy() || type->isDoubleTy() ||
          type->isX86_FP80Ty()) &&
         !isa<ScalableVectorType>(instruction.getType()) &&
         (isa<BinaryOperator>(instruction) || is_multiply_add(instruction));
}

bool is_nan(const Constant *constant) {
  const auto *number = dyn_cast_or_null<ConstantFP>(constant);
  return number && number->isNaN();
}

Constant *element(Constant &constant, unsigned index) {
  return constant.getType()->isVectorTy() ? constant.getAggregateElement(index) : &constant;
}

// Returns the constant that all callers pass for the argument, or null.
Constant *given(const Argument &argument) {
  const Function &function = *argument.getParent();
  if (!function.hasLocalLinkage())
    return nullptr;
  Constant *known = nullptr;
  for (const Use &use : function.uses()) {
    const auto *call = dyn_cast<CallBase>(use.getUser());
    if (!call || !call->isCallee(&use) || call->getFunctionType() != function.getFunctionType())
      return nullptr;
    auto *constant = dyn_cast<Constant>(call->getArgOperand(argument.getArgNo()));
    if (!constant || isa<UndefValue>(constant) || (known && known != constant))
      return nullptr;
    known = constant;
  }
  return known;
}

/// Computes the instructions whose operands are constants, or instructions so computed.
class Computation {
public:
  explicit Computation(Function &function) : layout_(function.getDataLayout()) {}

  /// Null if the value is not known.
  Constant *value(llvm::Value &value) const {
    if (auto *constant = dyn_cast<Constant>(&value))
      return constant;
    const auto *argument = dyn_cast<Argument>(&value);
    return argument ? given(*argument) : known_.lookup(&value);
  }

  /// Returns the machine's result if it differs from LLVM's, or null.
  Constant *look_at(Instruction &instruction) {
    if (isa<PHINode>(instruction) || instruction.mayReadOrWriteMemory() ||
        instruction.isTerminator() || instruction.getType()->isVoidTy())
      return nullptr;
    const auto *call = dyn_cast<CallBase>(&instruction);
    if (call && (!is_multiply_add(instruction) || call->hasOperandBundles()))
      return nullptr;
    SmallVector<Constant *> operands;
    for (Use &operand : instruction.operands())
      operands.push_back(value(*operand));
    if (is_contained(operands, nullptr))
      return nullptr;
    Constant *folded = isa<FreezeInst>(instruction)
                           ? operands.front()
                           : ConstantFoldInstOperands(&instruction, operands, layout_);
    if (!folded || isa<UndefValue>(folded) || folded->containsUndefOrPoisonElement())
      return nullptr;
    if (call)
      operands.pop_back(); // the callee
    Constant *computed = with_machine_nans(instruction, operands, folded);
    known_[&instruction] = computed;
    return computed == folded ? nullptr : computed;
  }

private:
  const DataLayout &layout_;
  DenseMap<const llvm::Value *, Constant *> known_;
};

} // namespace

Constant *with_machine_nans(const Instruction &operation, ArrayRef<Constant *> operands,
                            Constant *folded) {
  if (!folded || !makes_nans(operation) || !triple_of(*operation.getModule()).isX86())
    return folded;
  Type *type = folded->getType();
  const auto *vector = dyn_cast<FixedVectorType>(type);
  SmallVector<Constant *> elements;
  for (unsigned i = 0; i < (vector ? vector->getNumElements() : 1); ++i) {
    Constant *each = element(*folded, i);
    const bool is_made = is_nan(each) && none_of(operands, [&](Constant *operand) {
                           return is_nan(element(*operand, i));
                         });
    elements.push_back(is_made ? ConstantFP::getQNaN(each->getType(), /*Negative=*/true) : each);
  }
  if (is_contained(elements, nullptr))
    return folded;
  return vector ? ConstantVector::get(elements) : elements.front();
}

PreservedAnalyses ComputeNans::run(Function &function, FunctionAnalysisManager &) {
  if (!triple_of(*function.getParent()).isX86() || none_of(instructions(function), makes_nans))
    return PreservedAnalyses::all();
  bool changed = false;
  Computation computation(function);
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function))
    for (Instruction &instruction : make_early_inc_range(*block))
      if (Constant *computed = computation.look_at(instruction)) {
        instruction.replaceAllUsesWith(computed);
        changed = true;
      }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace sartor::compiler
