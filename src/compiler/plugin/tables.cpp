// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tables.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "compiler/frontend/closure.h"
#include "compiler/frontend/native_only.h"
#include "compiler/frontend/prepare.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

constexpr const char *kKept = "llvm.compiler.used";

bool calls_by_pointer(Function &handler) {
  return any_of(compiler::called_functions(handler), [](const Function *function) {
    return any_of(instructions(*function), [](const Instruction &instruction) {
      const auto *call = dyn_cast<CallBase>(&instruction);
      return call && call->isIndirectCall();
    });
  });
}

bool holds_functions(const Constant &constant) {
  return any_of(constant.operands(), [](const Use &operand) {
    const auto *part = dyn_cast<Constant>(operand);
    return part && (isa<Function>(part) || (!isa<GlobalValue>(part) && holds_functions(*part)));
  });
}

bool is_table(const GlobalVariable &variable) {
  return variable.isConstant() && variable.hasDefinitiveInitializer() && !variable.hasSection() &&
         !variable.getName().starts_with("llvm.") && holds_functions(*variable.getInitializer());
}

} // namespace

void keep_tables(Module &bitcode, const Module &native) {
  if (none_of(bitcode, [](Function &function) {
        return compiler::is_handler(function) && calls_by_pointer(function);
      }))
    return;
  SmallVector<GlobalValue *> tables;
  for (GlobalVariable &variable : bitcode.globals()) {
    const GlobalValue *original = native.getNamedValue(variable.getName());
    if (original && !original->isDeclarationForLinker() && is_table(variable))
      tables.push_back(&variable);
  }
  appendToCompilerUsed(bitcode, tables);
}

void keep_functions(Module &bitcode, const Module &native) {
  SmallVector<GlobalValue *> functions;
  for (Function &function : bitcode) {
    const Function *original = native.getFunction(function.getName());
    if (!function.isDeclaration() && original && original->hasExternalLinkage() &&
        compiler::native_only_reason(function).empty())
      functions.push_back(&function);
  }
  appendToCompilerUsed(bitcode, functions);
}

void release_tables(Module &bitcode) {
  if (GlobalVariable *kept = bitcode.getGlobalVariable(kKept))
    kept->eraseFromParent();
}

} // namespace sartor::compiler
