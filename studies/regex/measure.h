// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef STUDIES_REGEX_MEASURE_H
#define STUDIES_REGEX_MEASURE_H

#include <cstddef>
#include <string>
#include <vector>

#include "harness.h"

namespace regex {

using sartor::bench::Samples;

/// Seconds of processor time that it takes to find all matches of a pattern, in rounds.
struct Pattern {
  std::string name;
  Samples gcc;    ///< PCRE2's interpreter as it is, by gcc -O2.
  Samples clang;  ///< The same by clang -O3 -march=native.
  Samples jit;    ///< PCRE2's own JIT.
  Samples sartor; ///< The interpreter with Sartor in it, the pattern specialized.
  Samples idle;   ///< The same build, with nothing specialized.

  /// Of the two interpreters, the one that takes less.
  [[nodiscard]] const Samples &interpreter() const;
};

/// Runs each pattern of harness.c each way, in processes of their own that take turns. Throws
/// std::runtime_error if one of them cannot be run, or finds something else.
std::vector<Pattern> measure(std::size_t rounds);

/// Lines that the patch adds to PCRE2's sources or takes away from them.
std::size_t lines_changed();
/// Lines of the files that come along.
std::size_t lines_beside();

} // namespace regex

#endif
