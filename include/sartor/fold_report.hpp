// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_FOLD_REPORT_HPP
#define SARTOR_FOLD_REPORT_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sartor {

/// Effect of one invariant on the code of a variant.
struct InvariantReport {
  std::uint64_t invariant = 0;      ///< Invariant::number(); new at each revalidation.
  std::string quasi_invariant = {}; ///< Name of the quasi-invariant, if it is one.
  /// Number of loads from its memory that became constants, in all copies of the code.
  std::uint64_t loads = 0;
  bool depended_on = false; ///< False: it changed nothing in the code.

  bool operator==(const InvariantReport &) const = default;
};

/// A loop over invariant memory.
struct LoopReport {
  std::string function = {}; ///< The function that contains it after inlining, for people.
  unsigned line = 0;         ///< 0 without debug information, as in guest programs.
  /// Number of copies of the loop's head, each with known values; 0 if the loop was not followed.
  std::uint64_t copies = 0;
  /// The reason why a loop with unknown values remains; empty if none remains.
  std::string why_not = {};

  bool operator==(const LoopReport &) const = default;
};

/// How much of the control flow that depends on invariant memory was followed.
enum class Followed : std::uint8_t {
  whole,   ///< All of it, or there is none.
  in_part, ///< As much as there was room for: the rest runs in the generic loop, or native code.
  no,      ///< A loop was abandoned because its copies would take too much room.
  kLast = no,
};

/// "whole", "in_part", "no".
std::string_view to_string(Followed followed);

/// Effect of invariant memory on the code of a variant, and the remaining accesses. A value type.
struct FoldReport {
  /// Invariants that are reachable from bound arguments or from variables that the handler uses,
  /// and all others that the code depends on. Sorted by number.
  std::vector<InvariantReport> invariants = {};
  std::vector<LoopReport> loops = {};
  Followed followed = Followed::whole; ///< The least of all functions in the code.
  // Counted in code that is not behind a failed guard or otherwise marked unlikely.
  std::uint64_t indirect_jumps = 0; ///< Remaining computed gotos.
  std::uint64_t indirect_calls = 0; ///< Remaining calls through a pointer.

  bool operator==(const FoldReport &) const = default;
};

} // namespace sartor

#endif
