// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef STUDIES_LUA_MEASURE_H
#define STUDIES_LUA_MEASURE_H

#include <cstddef>
#include <string>
#include <vector>

#include "harness.h"

namespace lua {

using sartor::bench::Samples;

/// Processor time in seconds for one of programs/, one sample per round.
struct Program {
  std::string name;
  Samples gcc;        ///< Unmodified Lua, by gcc -O2.
  Samples clang;      ///< Unmodified Lua, by clang -O3 -march=native.
  Samples sartor;     ///< Lua with Sartor, after all hot functions are specialized.
  Samples unverified; ///< The same without comparing any call with the native code.
  Samples again;      ///< The same as `unverified`, in another process.
  Samples idle;       ///< The same build without specialization.

  /// The faster of the two unmodified builds.
  [[nodiscard]] const Samples &stock() const;
};

/// Runs each program with each interpreter, in separate interleaved processes, after warm-up runs.
/// Throws std::runtime_error if one of them cannot be run or computes another result.
std::vector<Program> measure(std::size_t rounds);

/// Lines that the patch adds to or removes from Lua's sources.
std::size_t lines_changed();
/// Lines of the files that are added to Lua's.
std::size_t lines_beside();

} // namespace lua

#endif
