// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef STUDIES_LUA_MEASURE_H
#define STUDIES_LUA_MEASURE_H

#include <cstddef>
#include <string>
#include <vector>

#include "harness.h"

namespace lua {

using sartor::bench::Samples;

/// Seconds of processor time that one of programs/ takes, in rounds.
struct Program {
  std::string name;
  Samples gcc;    ///< Lua as it is, by gcc -O2.
  Samples clang;  ///< Lua as it is, by clang -O3 -march=native.
  Samples sartor; ///< With Sartor in it, when all that is hot is specialized.
  Samples idle;   ///< The same build, with nothing specialized.

  /// Of the two, the one that takes less.
  [[nodiscard]] const Samples &stock() const;
};

/// Runs each program by each interpreter, in processes of their own that take turns, after it has
/// run some times. Throws std::runtime_error if one of them cannot be run, or computes something
/// else.
std::vector<Program> measure(std::size_t rounds);

/// Lines that the patch adds to Lua's sources or takes away from them.
std::size_t lines_changed();
/// Lines of the files that come along.
std::size_t lines_beside();

} // namespace lua

#endif
