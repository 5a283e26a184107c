// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_FOLD_FOLD_RECORDER_H
#define SARTOR_COMPILER_SPECIALIZE_FOLD_FOLD_RECORDER_H

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Module.h>

#include <sartor/fold_report.hpp>

#include "core/request/invariant_memory.h"

namespace sartor::compiler {

/// Records, during folding, the effect of each invariant. Loops that stay are recorded anew in each
/// round of a function; the last round counts.
class FoldRecorder {
public:
  /// Adds the number of loads that became constants, by invariant.
  void note_loads(const std::map<std::uint64_t, std::uint64_t> &loads);
  /// Records the number of copies of a loop's header. Must be called before copying.
  void note_followed(const llvm::Loop &loop, std::uint64_t copies);
  /// Starts a new round of a function.
  void begin(const llvm::Function &function) { left_[&function].clear(); }
  void note_left(const llvm::Loop &loop, std::string why_not);
  /// Records that something was followed only to this extent.
  void note_extent(Followed followed) { followed_extent_ = std::max(followed_extent_, followed); }

  /// Adds all records to a report. Loops recorded there as staying are replaced.
  void add_to(FoldReport &fold_report, const llvm::Module &module) const;

private:
  using Place = std::pair<std::string, unsigned>;

  static Place place_of(const llvm::Loop &loop);

  std::map<std::uint64_t, std::uint64_t> loads_;
  std::map<Place, std::uint64_t> followed_;
  Followed followed_extent_ = Followed::whole;
  std::map<const llvm::Function *, std::vector<LoopReport>> left_;
};

/// Returns the invariants that bound arguments and the code's variables lead to, before anything is
/// folded.
std::set<std::uint64_t> invariants_meant(const llvm::Module &module,
                                         const std::map<std::string, void *, std::less<>> &symbols,
                                         const std::vector<std::uintptr_t> &bound,
                                         const core::Reached &reached);

/// Reports the invariants in `meant` that had no effect, and those in `depended_on`.
void add_invariants(FoldReport &fold_report, const std::set<std::uint64_t> &meant,
                    const std::set<std::uint64_t> &depended_on);

} // namespace sartor::compiler

#endif
