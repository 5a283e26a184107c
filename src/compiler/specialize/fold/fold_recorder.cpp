// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/fold/fold_recorder.h"

#include <algorithm>
#include <cstring>

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/GlobalVariable.h>

#include "compiler/frontend/readable.h"
#include "core/space/readable_name.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// Limit on the bytes of invariant memory that are searched for pointers to more of it.
constexpr std::size_t kMostLookedAt = 1U << 20;

InvariantReport &entry_of(FoldReport &fold_report, std::uint64_t invariant) {
  const auto at =
      std::ranges::lower_bound(fold_report.invariants, invariant, {}, &InvariantReport::invariant);
  if (at != fold_report.invariants.end() && at->invariant == invariant)
    return *at;
  InvariantReport fresh;
  fresh.invariant = invariant;
  return *fold_report.invariants.insert(at, std::move(fresh));
}

/// Collects the objects that pointers lead to.
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

  std::set<std::uint64_t> invariants() {
    std::size_t looked_at = 0;
    while (!work_.empty()) {
      const core::Extent object = work_.back();
      work_.pop_back();
      auto region =
          std::ranges::lower_bound(reached_.regions, object.address, {}, &core::Region::address);
      for (; region != reached_.regions.end() && region->address < object.end; ++region) {
        invariants_.insert(region->invariant);
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
    return invariants_;
  }

private:
  const core::Reached &reached_;
  std::vector<core::Extent> work_;
  std::set<std::uintptr_t> objects_;
  std::set<std::uint64_t> invariants_;
};

} // namespace

void FoldRecorder::note_loads(const std::map<std::uint64_t, std::uint64_t> &loads) {
  for (const auto &[invariant, count] : loads)
    loads_[invariant] += count;
}

FoldRecorder::Place FoldRecorder::place_of(const Loop &loop) {
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

void FoldRecorder::note_followed(const Loop &loop, std::uint64_t copies) {
  followed_[place_of(loop)] += copies;
}

void FoldRecorder::note_left(const Loop &loop, std::string why_not) {
  const auto [function, line] = place_of(loop);
  std::vector<LoopReport> &left = left_[loop.getHeader()->getParent()];
  LoopReport reported{function, line, 0, std::move(why_not)};
  if (!is_contained(left, reported)) // copies of one loop
    left.push_back(std::move(reported));
}

void FoldRecorder::add_to(FoldReport &fold_report, const Module &module) const {
  for (const auto &[invariant, loads] : loads_)
    entry_of(fold_report, invariant).loads += loads;
  std::erase_if(fold_report.loops, [](const LoopReport &loop) { return loop.copies == 0; });
  for (LoopReport &loop : fold_report.loops)
    loop.why_not.clear();
  fold_report.followed = std::max(fold_report.followed, followed_extent_);
  for (const auto &[place, copies] : followed_) {
    const auto known = std::ranges::find_if(fold_report.loops, [&](const LoopReport &loop) {
      return loop.function == place.first && loop.line == place.second;
    });
    if (known == fold_report.loops.end())
      fold_report.loops.push_back({place.first, place.second, copies, {}});
    else
      known->copies += copies;
  }
  // A loop that was followed in part, and continues in its generic form, is reported once.
  for (const Function &function : module)
    if (const auto left = left_.find(&function); left != left_.end())
      for (const LoopReport &loop : left->second) {
        const auto known = std::ranges::find_if(fold_report.loops, [&](const LoopReport &other) {
          return loop.line != 0 && other.function == loop.function && other.line == loop.line &&
                 other.why_not.empty();
        });
        if (known == fold_report.loops.end())
          fold_report.loops.push_back(loop);
        else
          known->why_not = loop.why_not;
      }
}

std::set<std::uint64_t> invariants_meant(const Module &module,
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
  return walk.invariants();
}

void add_invariants(FoldReport &fold_report, const std::set<std::uint64_t> &meant,
                    const std::set<std::uint64_t> &depended_on) {
  for (const std::uint64_t invariant : meant)
    (void)entry_of(fold_report, invariant);
  for (const std::uint64_t invariant : depended_on)
    entry_of(fold_report, invariant).depended_on = true;
}

} // namespace sartor::compiler
