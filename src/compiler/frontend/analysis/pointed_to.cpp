// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/analysis/pointed_to.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "compiler/frontend/analysis/closure.h"
#include "compiler/frontend/prepare.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

constexpr const char *kInProgramAttribute = "sartor-in-program";

bool holds_functions(const Constant &constant) {
  return any_of(constant.operands(), [](const Use &operand) {
    const auto *part = dyn_cast<Constant>(operand);
    return part && (isa<Function>(part) || (!isa<GlobalValue>(part) && holds_functions(*part)));
  });
}

bool has_call_by_pointer(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    const auto *call = dyn_cast<CallBase>(&instruction);
    return call && call->isIndirectCall();
  });
}

} // namespace

bool calls_by_pointer(Module &module) {
  return any_of(module, [](Function &handler) {
    return is_handler(handler) && any_of(called_functions(handler), [](const Function *function) {
             return has_call_by_pointer(*function);
           });
  });
}

bool is_table_of_functions(const GlobalVariable &variable) {
  return variable.isConstant() && variable.hasDefinitiveInitializer() && !variable.hasSection() &&
         !variable.getName().starts_with("llvm.") && holds_functions(*variable.getInitializer());
}

void note_in_program(Function &function) { function.addFnAttr(kInProgramAttribute); }

bool is_in_program(const Function &function) {
  return function.hasFnAttribute(kInProgramAttribute);
}

void keep_pointed_to(Module &module) {
  const bool may_call = calls_by_pointer(module);
  SmallVector<GlobalValue *> kept;
  for (Function &function : module)
    if (may_call && function.hasAvailableExternallyLinkage() && function.hasAddressTaken())
      kept.push_back(&function);
  for (GlobalVariable &variable : module.globals())
    if (variable.hasAvailableExternallyLinkage() && variable.isConstant() &&
        (may_call || !is_table_of_functions(variable)))
      kept.push_back(&variable);
  appendToCompilerUsed(module, kept);
}

void release_kept(Module &module) {
  for (Function &function : module)
    if (is_in_program(function) && function.hasAvailableExternallyLinkage() &&
        !function.hasAddressTaken() && !is_worth_sharing(function)) {
      function.setLinkage(GlobalValue::InternalLinkage);
      function.setDSOLocal(true);
    }
  if (GlobalVariable *kept = module.getGlobalVariable("llvm.compiler.used"))
    kept->eraseFromParent();
}

} // namespace sartor::compiler
