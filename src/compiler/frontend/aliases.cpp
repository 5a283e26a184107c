// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/aliases.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalAlias.h>
#include <llvm/IR/GlobalIFunc.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

namespace sartor::compiler {

using namespace llvm;

namespace {

GlobalObject *declare(GlobalValue &value, Module &module) {
  if (auto *type = dyn_cast<FunctionType>(value.getValueType()))
    return Function::Create(type, GlobalValue::ExternalLinkage, "", module);
  return new GlobalVariable(module, value.getValueType(), /*isConstant=*/false,
                            GlobalValue::ExternalLinkage, nullptr, "", nullptr,
                            value.getThreadLocalMode());
}

void replace_with_declaration(GlobalValue &value, Module &module) {
  GlobalObject *declared = declare(value, module);
  declared->takeName(&value);
  value.replaceAllUsesWith(declared);
  value.eraseFromParent();
}

} // namespace

void resolve_aliases(Module &module) {
  for (GlobalAlias &alias : make_early_inc_range(module.aliases())) {
    const GlobalObject *object = alias.getAliaseeObject();
    if (alias.isInterposable() || !object || object->isInterposable()) {
      replace_with_declaration(alias, module);
      continue;
    }
    alias.replaceAllUsesWith(alias.getAliasee());
    alias.eraseFromParent();
  }
  for (GlobalIFunc &ifunc : make_early_inc_range(module.ifuncs()))
    replace_with_declaration(ifunc, module);
}

} // namespace sartor::compiler
