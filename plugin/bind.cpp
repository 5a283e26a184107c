// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bind.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/xxhash.h>

#include "point/prepare.h"

namespace sartor::plugin {

using namespace llvm;

namespace {

// Lists that speak of the native object file, not of the code.
constexpr const char *kNativeLists[] = {"llvm.used", "llvm.compiler.used", "llvm.global_ctors",
                                        "llvm.global_dtors", "llvm.global.annotations"};

using Originals = DenseMap<const GlobalValue *, GlobalValue *>;

Originals originals_of(Module &native, const ValueToValueMapTy &copies) {
  Originals originals;
  for (GlobalValue &value : native.global_values())
    if (auto found = copies.find(&value); found != copies.end())
      if (auto *copy = dyn_cast_or_null<GlobalValue>(found->second))
        originals[copy] = &value;
  return originals;
}

std::string unique_suffix(const Module &module) {
  return ".sartor." + utohexstr(xxh3_64bits(module.getSourceFileName()), /*LowerCase=*/true);
}

void resolve_aliases(Module &bitcode) {
  for (GlobalAlias &alias : make_early_inc_range(bitcode.aliases())) {
    alias.replaceAllUsesWith(alias.getAliasee());
    alias.eraseFromParent();
  }
  for (GlobalIFunc &ifunc : make_early_inc_range(bitcode.ifuncs())) {
    auto *function = Function::Create(cast<FunctionType>(ifunc.getValueType()),
                                      GlobalValue::ExternalLinkage, "", bitcode);
    function->takeName(&ifunc);
    ifunc.replaceAllUsesWith(function);
    ifunc.eraseFromParent();
  }
}

Function *make_accessor(Module &native, GlobalVariable &variable, const std::string &name) {
  auto *type = FunctionType::get(variable.getType(), /*isVarArg=*/false);
  auto *accessor = Function::Create(type, GlobalValue::InternalLinkage, name, native);
  accessor->setDoesNotThrow();
  IRBuilder<> builder(BasicBlock::Create(native.getContext(), "", accessor));
  builder.CreateRet(builder.CreateThreadLocalAddress(&variable));
  return accessor;
}

// ORC has no native thread-local storage for variables that it did not create, so the program's own
// code is asked for their addresses.
void reach_thread_locals(Module &bitcode, Module &native, const Originals &originals) {
  for (GlobalVariable &variable : make_early_inc_range(bitcode.globals())) {
    if (!variable.isThreadLocal())
      continue;
    auto *original = cast<GlobalVariable>(originals.lookup(&variable));
    const std::string name = "sartor.tls." + variable.getName().str() + unique_suffix(native);
    make_accessor(native, *original, name);
    auto *accessor = Function::Create(FunctionType::get(variable.getType(), /*isVarArg=*/false),
                                      GlobalValue::ExternalLinkage, name, bitcode);
    accessor->setDoesNotThrow();
    accessor->setWillReturn();
    accessor->setDoesNotAccessMemory();
    for (User *user : make_early_inc_range(variable.users())) {
      auto *address = dyn_cast<IntrinsicInst>(user);
      if (!address || address->getIntrinsicID() != Intrinsic::threadlocal_address)
        continue;
      auto *call = CallInst::Create(accessor, "", address->getIterator());
      address->replaceAllUsesWith(call);
      address->eraseFromParent();
    }
    if (variable.use_empty())
      variable.eraseFromParent();
  }
}

void make_discardable(GlobalValue &value) {
  if (value.isDeclaration() || value.hasLocalLinkage())
    return;
  switch (value.getLinkage()) {
  case GlobalValue::ExternalLinkage:
    value.setLinkage(GlobalValue::AvailableExternallyLinkage);
    break;
  case GlobalValue::WeakODRLinkage:
    value.setLinkage(GlobalValue::LinkOnceODRLinkage);
    break;
  case GlobalValue::AvailableExternallyLinkage:
  case GlobalValue::LinkOnceODRLinkage:
    break;
  default: // another definition may replace this one when the program is linked
    if (auto *function = dyn_cast<Function>(&value))
      function->deleteBody();
    else
      cast<GlobalVariable>(value).setInitializer(nullptr);
    value.setLinkage(GlobalValue::ExternalLinkage);
  }
}

// True if the variable stays private to each variant: its address tells nobody anything.
bool has_no_identity(const GlobalVariable &variable) {
  return variable.isConstant() && variable.hasInitializer() && variable.hasLocalLinkage() &&
         variable.hasGlobalUnnamedAddr();
}

bool holds_block_addresses(const Constant &constant) {
  if (isa<BlockAddress>(constant))
    return true;
  return any_of(constant.operands(), [](const Use &operand) {
    const auto *part = dyn_cast<Constant>(operand);
    return part && !isa<GlobalValue>(part) && holds_block_addresses(*part);
  });
}

// A table of labels belongs to the copy of the code whose labels they are.
bool belongs_to_code(const GlobalVariable &variable) {
  return variable.hasLocalLinkage() && variable.hasInitializer() &&
         holds_block_addresses(*variable.getInitializer());
}

void bind_variable(GlobalVariable &variable) {
  const bool folds = variable.isConstant() && variable.hasDefinitiveInitializer() &&
                     (variable.hasLocalLinkage() || !variable.getInitializer()->needsRelocation());
  if (folds) {
    variable.setLinkage(GlobalValue::AvailableExternallyLinkage);
  } else if (!variable.isDeclaration()) {
    variable.setInitializer(nullptr);
    variable.setLinkage(GlobalValue::ExternalLinkage);
  }
  variable.setSection("");
}

bool needs_address(const Function &function) {
  return function.isDeclaration() || function.hasExternalLinkage() ||
         function.hasAvailableExternallyLinkage() || function.hasAddressTaken() ||
         function.hasFnAttribute(point::kFoldAttribute);
}

} // namespace

void detach(Module &bitcode, Module &native, const ValueToValueMapTy &copies) {
  for (const char *name : kNativeLists)
    if (GlobalVariable *list = bitcode.getGlobalVariable(name))
      list->eraseFromParent();
  resolve_aliases(bitcode);
  reach_thread_locals(bitcode, native, originals_of(native, copies));
  // A handler of another file may call these.
  const auto reaching = point::functions_reaching_points(bitcode);
  for (GlobalObject &object : bitcode.global_objects()) {
    object.setComdat(nullptr);
    auto *function = dyn_cast<Function>(&object);
    if (function && point::is_handler(*function))
      function->setLinkage(GlobalValue::ExternalLinkage);
    else if (!function || !function->hasExternalLinkage() || !reaching.contains(function))
      make_discardable(object);
  }
}

std::vector<Binding> bind(Module &bitcode, Module &native, const ValueToValueMapTy &copies) {
  const Originals originals = originals_of(native, copies);
  const std::string suffix = unique_suffix(native);
  std::vector<Binding> bindings;
  auto add = [&](GlobalObject &object) {
    GlobalValue *original = originals.lookup(&object);
    if (!original) // made here: a thread-local's accessor, or a library call of the optimiser's
      original = native.getNamedValue(object.getName());
    if (object.hasLocalLinkage() ||
        (original && original->hasLocalLinkage() && originals.contains(&object)))
      object.setName(object.getName() + suffix);
    object.setVisibility(GlobalValue::DefaultVisibility);
    object.setDSOLocal(false);
    if (original)
      bindings.push_back({object.getName().str(), original});
  };
  for (GlobalVariable &variable : bitcode.globals()) {
    if (has_no_identity(variable) || belongs_to_code(variable))
      continue;
    add(variable);
    bind_variable(variable);
  }
  for (Function &function : bitcode) {
    if (function.isIntrinsic() || function.getName().starts_with("sartor.point.") ||
        function.getName().starts_with("sartor.const.") || !needs_address(function))
      continue;
    add(function);
    if (!function.isDeclaration() && !function.hasExternalLinkage())
      function.setLinkage(GlobalValue::AvailableExternallyLinkage);
    else if (!function.hasExternalWeakLinkage())
      function.setLinkage(GlobalValue::ExternalLinkage);
  }
  return bindings;
}

} // namespace sartor::plugin
