// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/blocks.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/CFG.h>
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

namespace {

/// The reachable blocks, numbered in reverse post-order. Block 0 is the entry; the last number
/// represents the end of the function.
class Reached {
public:
  using Decide = function_ref<BasicBlock *(Instruction &)>;

  Reached(Function &function, Decide decide) {
    find_order(function.getEntryBlock(), decide);
    const auto end = static_cast<unsigned>(order_.size());
    before_.resize(end + 1);
    for (unsigned block = 0; block < end; ++block)
      for (BasicBlock *next : next_[order_[block]])
        before_[number_[next]].push_back(block);
    for (unsigned block = 0; block < end; ++block)
      if (next_[order_[block]].empty())
        before_[end].push_back(block);
    end_endless_loops();
  }

  /// Returns the blocks on all paths to the end: its dominators.
  [[nodiscard]] CertainBlocks on_all_ways() const {
    // K. Cooper, T. Harvey, K. Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
    const auto end = static_cast<unsigned>(order_.size());
    std::vector<unsigned> dominator(end + 1, kNone);
    dominator[0] = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (unsigned block = 1; block <= end; ++block) {
        unsigned found = kNone;
        for (const unsigned before : before_[block])
          if (dominator[before] != kNone)
            found = found == kNone ? before : common(dominator, before, found);
        changed = changed || dominator[block] != found;
        dominator[block] = found;
      }
    }
    CertainBlocks certain;
    for (unsigned block = end; block != 0;) {
      block = dominator[block];
      certain.insert(order_[block]);
    }
    return certain;
  }

private:
  static constexpr unsigned kNone = ~0U;

  void find_order(BasicBlock &entry, Decide decide) {
    const auto begin = [&](BasicBlock &block) {
      Instruction *end = block.getTerminator();
      auto &next = next_[&block];
      BasicBlock *decided = decide(*end);
      if (BasicBlock *only = decided ? decided : only_way_on(*end))
        next.push_back(only);
      else
        next.append(succ_begin(&block), succ_end(&block));
    };
    SmallVector<std::pair<BasicBlock *, unsigned>> path{{&entry, 0}};
    begin(entry);
    while (!path.empty()) {
      auto &[block, taken] = path.back();
      if (taken == next_[block].size()) {
        order_.push_back(block);
        path.pop_back();
        continue;
      }
      BasicBlock *next = next_[block][taken++];
      if (!next_.contains(next)) {
        begin(*next);
        path.push_back({next, 0});
      }
    }
    std::ranges::reverse(order_);
    for (unsigned i = 0; i < order_.size(); ++i)
      number_[order_[i]] = i;
  }

  // Connects blocks that cannot reach the end directly to it, because control that enters an
  // endless loop does not reach later blocks.
  void end_endless_loops() {
    const auto end = static_cast<unsigned>(order_.size());
    std::vector<bool> ends(end + 1, false);
    std::vector<unsigned> work{end};
    ends[end] = true;
    while (!work.empty()) {
      const unsigned block = work.back();
      work.pop_back();
      for (const unsigned before : before_[block])
        if (!ends[before]) {
          ends[before] = true;
          work.push_back(before);
        }
    }
    for (unsigned block = 0; block < end; ++block)
      if (!ends[block])
        before_[end].push_back(block);
  }

  static unsigned common(const std::vector<unsigned> &dominator, unsigned a, unsigned b) {
    while (a != b) {
      while (a > b)
        a = dominator[a];
      while (b > a)
        b = dominator[b];
    }
    return a;
  }

  DenseMap<BasicBlock *, SmallVector<BasicBlock *, 2>> next_;
  std::vector<BasicBlock *> order_;
  DenseMap<BasicBlock *, unsigned> number_;
  std::vector<std::vector<unsigned>> before_;
};

// Returns the successor behind a guard; null if the branch is no guard. A branch that passes have
// merged with a guard's tests additional conditions.
BasicBlock *behind_guard(Instruction &end) {
  auto *branch = dyn_cast<BranchInst>(&end);
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  if (!branch || !branch->isConditional() || !branch->hasMetadata(kGuardMark) ||
      !isa<ICmpInst>(branch->getCondition()) || !extractBranchWeights(*branch, first, second) ||
      first == second)
    return nullptr;
  return branch->getSuccessor(first > second ? 0 : 1);
}

} // namespace

BasicBlock *only_way_on(Instruction &end) {
  if (auto *invoke = dyn_cast<InvokeInst>(&end))
    return invoke->getNormalDest();
  return end.getNumSuccessors() == 1 ? end.getSuccessor(0) : behind_guard(end);
}

CertainBlocks certain_blocks(Function &function, function_ref<BasicBlock *(Instruction &)> decide) {
  return Reached(function, decide).on_all_ways();
}

} // namespace sartor::compiler
