// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/analysis/shape.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "compiler/frontend/analysis/native_only.h"

namespace sartor::compiler {

using namespace llvm;

std::string shape_problem(const Function &function) {
  if (std::string reason = native_only_reason(function); !reason.empty())
    return reason;
  for (const BasicBlock &block : function) {
    if (block.hasAddressTaken() || isa<IndirectBrInst>(block.getTerminator()))
      return "the function has a computed goto";
    if (isa<CallBrInst>(block.getTerminator()))
      return "the function has an inline-assembly jump";
  }
  for (const Instruction &instruction : instructions(function)) {
    if (instruction.getType()->isTokenTy())
      return "the function has a value that cannot flow between two copies of the code";
    const auto *call = dyn_cast<CallBase>(&instruction);
    if (!call)
      continue;
    if (call->hasFnAttr(Attribute::ReturnsTwice))
      return "the function calls setjmp or the like";
    if (call->cannotDuplicate())
      return "the function has a call that must not be duplicated";
  }
  return "";
}

} // namespace sartor::compiler
