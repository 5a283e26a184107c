// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/return_after_calls.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace sartor::compiler {

using namespace llvm;

namespace {

/// Returns the return instruction of a block that contains only phi nodes and a return; otherwise
/// null.
ReturnInst *lone_return(BasicBlock &block) {
  return dyn_cast<ReturnInst>(block.getFirstNonPHIIt());
}

bool ends_with_its_result(const BasicBlock &block, const ReturnInst &end) {
  const auto *branch = dyn_cast<BranchInst>(block.getTerminator());
  const auto *call = branch && branch->isUnconditional()
                         ? dyn_cast_or_null<CallInst>(branch->getPrevNode())
                         : nullptr;
  if (!call || !call->isTailCall())
    return false;
  const Value *result = end.getReturnValue();
  return !result || result->DoPHITranslation(end.getParent(), &block) == call;
}

} // namespace

PreservedAnalyses ReturnAfterCalls::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (BasicBlock &block : make_early_inc_range(function)) {
    ReturnInst *end = lone_return(block);
    if (!end)
      continue;
    for (BasicBlock *before : SmallVector<BasicBlock *>(predecessors(&block)))
      if (ends_with_its_result(*before, *end)) {
        FoldReturnIntoUncondBranch(end, &block, before);
        changed = true;
      }
    if (changed && pred_empty(&block) && !block.isEntryBlock())
      DeleteDeadBlock(&block);
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace sartor::compiler
