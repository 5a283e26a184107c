// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef STUDIES_SQLITE_MEASURE_H
#define STUDIES_SQLITE_MEASURE_H

#include <cstddef>
#include <string>
#include <vector>

#include "harness.h"

namespace sqlite {

using sartor::bench::Samples;

/// Seconds of processor time that one of queries/ takes, in rounds.
struct Query {
  std::string name;
  Samples gcc;                     ///< SQLite as it is, by gcc -O2.
  Samples clang;                   ///< SQLite as it is, by clang -O3 -march=native.
  Samples sartor;                  ///< With Sartor in it, by the statement's variant.
  Samples idle;                    ///< The same build, with nothing specialized.
  double compile_milliseconds = 0; ///< 0 where there is no variant.
  double code_bytes = 0;

  /// Of the two, the one that takes less.
  [[nodiscard]] const Samples &stock() const;
  [[nodiscard]] bool is_scan() const { return name.starts_with("scan_"); }
};

/// Runs each query by each program, in processes of their own that take turns, after it has run
/// some times, on tables with so many orders. Throws std::runtime_error if one of them cannot be
/// run, gives something else, or is a scan and
/// has no variant.
std::vector<Query> measure(std::size_t orders, std::size_t rounds);

/// Lines that the patch adds to SQLite's sources or takes away from them.
std::size_t lines_changed();
/// Lines of the files that come along.
std::size_t lines_beside();

} // namespace sqlite

#endif
