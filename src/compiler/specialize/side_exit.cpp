// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/side_exit.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/frontend/marks.h"
#include "compiler/specialize/instrument.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// Limit on the instructions that are executed twice: fewer than a mispredicted branch costs.
constexpr std::size_t kMostRepeated = 64;

bool is_mark(Instruction &instruction) {
  return compiler::is_mark(instruction) || is_sighting(instruction);
}

// True for an instruction without side effects that is no possibly long call.
bool may_be_repeated(Instruction &instruction) {
  if (is_mark(instruction) || instruction.isLifetimeStartOrEnd())
    return true;
  return !instruction.mayHaveSideEffects() &&
         (!isa<CallBase>(instruction) || isa<IntrinsicInst>(instruction));
}

} // namespace

bool may_begin_anew(BasicBlock &place, const LoopInfo &loops) {
  SmallVector<BasicBlock *> work{&place};
  SmallPtrSet<BasicBlock *, 16> seen(work.begin(), work.end());
  std::size_t repeated = 0;
  while (!work.empty()) {
    BasicBlock *block = work.pop_back_val();
    repeated += block->size();
    if (repeated > kMostRepeated || loops.getLoopFor(block) || !all_of(*block, may_be_repeated))
      return false;
    for (BasicBlock *before : predecessors(block))
      if (seen.insert(before).second)
        work.push_back(before);
  }
  return !sights_from(place);
}

void side_exit_to_native(IRBuilderBase &builder, Function &native) {
  Function &function = *builder.GetInsertBlock()->getParent();
  SmallVector<llvm::Value *> arguments;
  for (Argument &argument : function.args())
    arguments.push_back(&argument);
  CallInst *call = builder.CreateCall(&native, arguments);
  call->setTailCallKind(CallInst::TCK_MustTail);
  call->setCallingConv(function.getCallingConv());
  call->setAttributes(function.getAttributes().removeFnAttributes(function.getContext()));
  if (call->getType()->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(call);
}

} // namespace sartor::compiler
