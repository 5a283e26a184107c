// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/count_indirect.h"

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>

#include "compiler/specialize/likely.h"

namespace sartor::compiler {

using namespace llvm;

void count_indirect(const Module &module, FoldReport &into) {
  for (const Function &function : module) {
    if (function.isDeclaration())
      continue;
    for (const BasicBlock *block : compiler::likely_blocks(function))
      for (const Instruction &instruction : *block) {
        const auto *call = dyn_cast<CallBase>(&instruction);
        into.indirect_jumps += isa<IndirectBrInst>(instruction) ? 1 : 0;
        into.indirect_calls += call && call->isIndirectCall() ? 1 : 0;
      }
  }
}

} // namespace sartor::compiler
