// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_FOLDED_HPP
#define SARTOR_FOLDED_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sartor {

/// What a promise about memory has done for the code of a variant.
struct FoldedPromise {
  std::uint64_t promise = 0; ///< Invariant::number(); a fact gets others as time goes by.
  std::string fact = {};     ///< Its name, if it is a fact.
  /// Loads from its memory that became constants, in all copies of the code.
  std::uint64_t loads = 0;
  bool leant_on = false; ///< False: it changed nothing in the code.

  bool operator==(const FoldedPromise &) const = default;
};

/// A loop over promised memory.
struct FoldedLoop {
  std::string function = {}; ///< In which it stands when others are taken in, for people.
  unsigned line = 0;         ///< 0 where there is no debug information, as in programs.
  /// It was followed: its head was copied so many times, each with known values. 0: it was not.
  std::uint64_t copies = 0;
  /// Why it stays a loop that nobody knows the values of; empty where it does not.
  std::string why_not = {};

  bool operator==(const FoldedLoop &) const = default;
};

/// How much of what steers the code by promised memory was followed.
enum class Followed : std::uint8_t {
  whole,   ///< All of it, or there is nothing of the kind.
  in_part, ///< As much as there was room for: the rest goes on in the generic loop, or native code.
  no,      ///< A loop was given up, as its copies would take too much room.
  kLast = no,
};

/// "whole", "in_part", "no".
std::string_view to_string(Followed followed);

/// What has become of promised memory in the code of a variant, and what is left. A value.
struct Folded {
  /// Promises that bound arguments lead to, or variables that the handler uses, and all others that
  /// the code leans on. Sorted by number.
  std::vector<FoldedPromise> promises = {};
  std::vector<FoldedLoop> loops = {};
  Followed followed = Followed::whole; ///< The least, of all functions in the code.
  // In code that is not behind a failed guard, or otherwise marked unlikely:
  std::uint64_t indirect_jumps = 0; ///< Computed gotos that are left.
  std::uint64_t indirect_calls = 0; ///< Calls by a pointer that are left.

  bool operator==(const Folded &) const = default;
};

} // namespace sartor

#endif
