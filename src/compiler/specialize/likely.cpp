// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/likely.h"

#include <cstdint>

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/ProfDataUtils.h>

namespace sartor::compiler {

using namespace llvm;

namespace {

// A branch taken less often than once in this many times leads to code that is not followed.
constexpr std::uint64_t kRarely = 500;

bool is_unlikely(const BasicBlock &block, unsigned successor) {
  SmallVector<std::uint32_t, 4> weights;
  if (!extractBranchWeights(*block.getTerminator(), weights) || successor >= weights.size())
    return false;
  std::uint64_t sum = 0;
  for (const std::uint32_t weight : weights)
    sum += weight;
  return weights[successor] * kRarely < sum;
}

} // namespace

Blocks likely_blocks(const Function &function) {
  Blocks likely;
  SmallVector<const BasicBlock *> work{&function.getEntryBlock()};
  likely.insert(work.front());
  while (!work.empty()) {
    const BasicBlock *block = work.pop_back_val();
    const Instruction *end = block->getTerminator();
    for (unsigned i = 0; i < end->getNumSuccessors(); ++i)
      if (!is_unlikely(*block, i) && likely.insert(end->getSuccessor(i)).second)
        work.push_back(end->getSuccessor(i));
  }
  return likely;
}

} // namespace sartor::compiler
