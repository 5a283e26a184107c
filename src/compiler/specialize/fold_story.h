// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_FOLD_STORY_H
#define SARTOR_COMPILER_SPECIALIZE_FOLD_STORY_H

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Module.h>

#include <sartor/folded.hpp>

#include "core/request/promised_memory.h"

namespace sartor::compiler {

/// Promises that became something else than they might have been, as folding goes along. Loops that
/// stay are told of anew in each round: what is said in the last counts.
class FoldStory {
public:
  /// So many loads by promise have become constants.
  void note_loads(const std::map<std::uint64_t, std::uint64_t> &loads);
  /// A loop's head was copied so many times. Before it is.
  void note_followed(const llvm::Loop &loop, std::uint64_t copies);
  /// A new round of a function begins.
  void begin(const llvm::Function &function) { left_[&function].clear(); }
  void note_left(const llvm::Loop &loop, std::string why_not);
  /// Something was followed only so far.
  void note_extent(Followed followed) { followed_extent_ = std::max(followed_extent_, followed); }

  /// Adds all of it to what was there, of which loops that stay are forgotten.
  void add_to(Folded &folded, const llvm::Module &module) const;

private:
  using Place = std::pair<std::string, unsigned>;

  static Place place_of(const llvm::Loop &loop);

  std::map<std::uint64_t, std::uint64_t> loads_;
  std::map<Place, std::uint64_t> followed_;
  Followed followed_extent_ = Followed::whole;
  std::map<const llvm::Function *, std::vector<FoldedLoop>> left_;
};

/// The promises to which bound arguments and the code's variables lead, before anything is folded.
std::set<std::uint64_t> promises_meant(const llvm::Module &module,
                                       const std::map<std::string, void *, std::less<>> &symbols,
                                       const std::vector<std::uintptr_t> &bound,
                                       const core::Reached &reached);

/// Tells of promises that were meant and did nothing, and of which the code leans on `leant_on`.
void add_promises(Folded &folded, const std::set<std::uint64_t> &meant,
                  const std::set<std::uint64_t> &leant_on);

} // namespace sartor::compiler

#endif
