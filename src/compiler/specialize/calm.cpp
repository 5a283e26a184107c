// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/calm.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>

#include "compiler/frontend/marks.h"

namespace sartor::compiler {

using namespace llvm;

void drop_assertions(BasicBlock &block) {
  for (Instruction &instruction : make_early_inc_range(block))
    if (CallInst *assertion = compiler::as_const_assertion(instruction))
      assertion->eraseFromParent();
}

void calm_loop(BasicBlock &latch) {
  Instruction *end = latch.getTerminator();
  LLVMContext &context = latch.getContext();
  const auto property = [&](const char *name, ArrayRef<Metadata *> value = {}) -> Metadata * {
    SmallVector<Metadata *> operands{MDString::get(context, name)};
    operands.append(value.begin(), value.end());
    return MDNode::get(context, operands);
  };
  auto *never = ConstantAsMetadata::get(ConstantInt::getFalse(context));
  SmallVector<Metadata *> properties{nullptr, property("llvm.loop.unroll.disable"),
                                     property("llvm.loop.vectorize.enable", {never})};
  if (MDNode *known = end->getMetadata(LLVMContext::MD_loop);
      known && findOptionMDForLoopID(known, "llvm.loop.mustprogress"))
    properties.push_back(property("llvm.loop.mustprogress"));
  MDNode *id = MDNode::getDistinct(context, properties);
  id->replaceOperandWith(0, id);
  end->setMetadata(LLVMContext::MD_loop, id);
}

} // namespace sartor::compiler
