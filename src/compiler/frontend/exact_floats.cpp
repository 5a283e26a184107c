// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/exact_floats.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Operator.h>

namespace sartor::compiler {

using namespace llvm;

namespace {

bool is_loose(const Instruction &instruction) {
  const auto *operation = dyn_cast<FPMathOperator>(&instruction);
  return operation && (operation->hasAllowReassoc() || operation->hasAllowReciprocal() ||
                       operation->hasApproxFunc());
}

} // namespace

bool has_loose_floats(Function &handler, References &references) {
  return llvm::any_of(reachable_functions(handler, references), [](const Function *function) {
    return any_of(instructions(*function), is_loose);
  });
}

} // namespace sartor::compiler
