// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef STUDIES_REGEX_MEASURE_H
#define STUDIES_REGEX_MEASURE_H

#include <cstddef>
#include <string>
#include <vector>

#include "harness.h"

namespace regex {

using sartor::bench::Samples;

/// Processor time in seconds to find all matches of a pattern, one sample per round.
struct Pattern {
  std::string name;
  Samples gcc;    ///< PCRE2's unmodified interpreter, by gcc -O2.
  Samples clang;  ///< PCRE2's unmodified interpreter, by clang -O3 -march=native.
  Samples jit;    ///< PCRE2's own JIT.
  Samples sartor; ///< The interpreter with Sartor, after the pattern is specialized.
  Samples idle;   ///< The same build without specialization.

  /// The faster of the two unmodified interpreters.
  [[nodiscard]] const Samples &interpreter() const;
};

/// Runs each pattern of harness.c with each method, in separate interleaved processes. Throws
/// std::runtime_error if one of them cannot be run or finds other matches.
std::vector<Pattern> measure(std::size_t rounds);

/// Lines that the patch adds to or removes from PCRE2's sources.
std::size_t lines_changed();
/// Lines of the files that are added to PCRE2's.
std::size_t lines_beside();

} // namespace regex

#endif
