// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/fold_story.h"

#include <algorithm>
#include <cstring>

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/GlobalVariable.h>

#include "compiler/frontend/readable.h"
#include "core/space/readable_name.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// Of promised memory, so much is looked through for pointers to more of it.
constexpr std::size_t kMostLookedAt = 1U << 20;

FoldedPromise &entry_of(Folded &folded, std::uint64_t promise) {
  const auto at = std::ranges::lower_bound(folded.promises, promise, {}, &FoldedPromise::promise);
  if (at != folded.promises.end() && at->promise == promise)
    return *at;
  FoldedPromise fresh;
  fresh.promise = promise;
  return *folded.promises.insert(at, std::move(fresh));
}

/// Objects that pointers have come to.
class Walk {
public:
  explicit Walk(const core::Reached &reached) : reached_(reached) {}

  void come_to(std::uintptr_t address) {
    const auto after =
        std::ranges::upper_bound(reached_.objects, address, {}, &core::Extent::address);
    if (after == reached_.objects.begin() || address >= std::prev(after)->end)
      return;
    const core::Extent &object = *std::prev(after);
    if (objects_.insert(object.address).second)
      work_.push_back(object);
  }

  std::set<std::uint64_t> promises() {
    std::size_t looked_at = 0;
    while (!work_.empty()) {
      const core::Extent object = work_.back();
      work_.pop_back();
      auto region =
          std::ranges::lower_bound(reached_.regions, object.address, {}, &core::Region::address);
      for (; region != reached_.regions.end() && region->address < object.end; ++region) {
        promises_.insert(region->promise);
        looked_at += region->bytes ? region->bytes->size() : 0;
        if (!region->bytes || looked_at > kMostLookedAt)
          continue;
        const std::size_t first = -region->address % sizeof(std::uintptr_t);
        for (std::size_t i = first; i + sizeof(std::uintptr_t) <= region->bytes->size();
             i += sizeof(std::uintptr_t)) {
          std::uintptr_t word = 0;
          std::memcpy(&word, region->bytes->data() + i, sizeof word);
          come_to(word);
        }
      }
    }
    return promises_;
  }

private:
  const core::Reached &reached_;
  std::vector<core::Extent> work_;
  std::set<std::uintptr_t> objects_;
  std::set<std::uint64_t> promises_;
};

} // namespace

void FoldStory::note_loads(const std::map<std::uint64_t, std::uint64_t> &loads) {
  for (const auto &[promise, count] : loads)
    loads_[promise] += count;
}

FoldStory::Place FoldStory::place_of(const Loop &loop) {
  const Function &function = *loop.getHeader()->getParent();
  const DebugLoc where = loop.getStartLoc();
  if (!where)
    return {compiler::readable(function), 0};
  const DISubprogram *inlined = cast<DILocalScope>(where.getScope())->getSubprogram();
  if (!inlined)
    return {compiler::readable(function), where.getLine()};
  const StringRef name =
      inlined->getLinkageName().empty() ? inlined->getName() : inlined->getLinkageName();
  return {core::readable_name(name.str()), where.getLine()};
}

void FoldStory::note_followed(const Loop &loop, std::uint64_t copies) {
  followed_[place_of(loop)] += copies;
}

void FoldStory::note_left(const Loop &loop, std::string why_not) {
  const auto [function, line] = place_of(loop);
  std::vector<FoldedLoop> &left = left_[loop.getHeader()->getParent()];
  FoldedLoop told{function, line, 0, std::move(why_not)};
  if (!is_contained(left, told)) // copies of one loop
    left.push_back(std::move(told));
}

void FoldStory::add_to(Folded &folded, const Module &module) const {
  for (const auto &[promise, loads] : loads_)
    entry_of(folded, promise).loads += loads;
  std::erase_if(folded.loops, [](const FoldedLoop &loop) { return loop.copies == 0; });
  for (FoldedLoop &loop : folded.loops)
    loop.why_not.clear();
  folded.followed = std::max(folded.followed, followed_extent_);
  for (const auto &[place, copies] : followed_) {
    const auto known = std::ranges::find_if(folded.loops, [&](const FoldedLoop &loop) {
      return loop.function == place.first && loop.line == place.second;
    });
    if (known == folded.loops.end())
      folded.loops.push_back({place.first, place.second, copies, {}});
    else
      known->copies += copies;
  }
  // One that was followed as far as could be, and goes on as it was, is told of once.
  for (const Function &function : module)
    if (const auto left = left_.find(&function); left != left_.end())
      for (const FoldedLoop &loop : left->second) {
        const auto known = std::ranges::find_if(folded.loops, [&](const FoldedLoop &other) {
          return loop.line != 0 && other.function == loop.function && other.line == loop.line &&
                 other.why_not.empty();
        });
        if (known == folded.loops.end())
          folded.loops.push_back(loop);
        else
          known->why_not = loop.why_not;
      }
}

std::set<std::uint64_t> promises_meant(const Module &module,
                                       const std::map<std::string, void *, std::less<>> &symbols,
                                       const std::vector<std::uintptr_t> &bound,
                                       const core::Reached &reached) {
  Walk walk(reached);
  for (const std::uintptr_t address : bound)
    walk.come_to(address);
  for (const GlobalVariable &variable : module.globals())
    if (!variable.use_empty())
      if (const auto known =
              symbols.find(std::string_view(variable.getName().data(), variable.getName().size()));
          known != symbols.end())
        walk.come_to(reinterpret_cast<std::uintptr_t>(known->second));
  return walk.promises();
}

void add_promises(Folded &folded, const std::set<std::uint64_t> &meant,
                  const std::set<std::uint64_t> &leant_on) {
  for (const std::uint64_t promise : meant)
    (void)entry_of(folded, promise);
  for (const std::uint64_t promise : leant_on)
    entry_of(folded, promise).leant_on = true;
}

} // namespace sartor::compiler
