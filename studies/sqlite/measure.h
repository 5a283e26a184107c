// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef STUDIES_SQLITE_MEASURE_H
#define STUDIES_SQLITE_MEASURE_H

#include <cstddef>
#include <string>
#include <vector>

#include "harness.h"

namespace sqlite {

using sartor::bench::Samples;

/// Processor time in seconds for one of queries/, one sample per round.
struct Query {
  std::string name;
  Samples gcc;                     ///< Unmodified SQLite, by gcc -O2.
  Samples clang;                   ///< Unmodified SQLite, by clang -O3 -march=native.
  Samples sartor;                  ///< SQLite with Sartor, running the statement's variant.
  Samples unverified;              ///< The same without comparing any call with the native code.
  Samples again;                   ///< The same as `unverified`, in another process.
  Samples idle;                    ///< The same build without specialization.
  double compile_milliseconds = 0; ///< 0 if there is no variant.
  double code_bytes = 0;

  /// The faster of the two unmodified builds.
  [[nodiscard]] const Samples &stock() const;
  [[nodiscard]] bool is_scan() const { return name.starts_with("scan_"); }
};

/// Runs each query with each program, in separate interleaved processes, after warm-up runs, on
/// tables with so many orders. Throws std::runtime_error if one of them cannot be run, gives
/// another result, or is a scan without a variant.
std::vector<Query> measure(std::size_t orders, std::size_t rounds);

/// A program with all of SQLite in one handler file. Milliseconds, one sample for each start.
struct Whole {
  Samples open;              ///< On the calling thread.
  Samples lazy_open;         ///< The same with lazy opening.
  Samples first_variant_cpu; ///< Processor time of all threads, without a cache.
};

/// Throws std::runtime_error if the program cannot be run.
Whole measure_whole(std::size_t rounds);

/// Lines that the patch adds to or removes from SQLite's sources.
std::size_t lines_changed();
/// Lines of the files that are added to SQLite's.
std::size_t lines_beside();

} // namespace sqlite

#endif
