// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef STUDIES_POSTGRES_MEASURE_H
#define STUDIES_POSTGRES_MEASURE_H

#include <cstddef>
#include <string>
#include <vector>

#include "harness.h"

namespace postgres {

using sartor::bench::Samples;

/// Processor time in milliseconds of a backend for one of queries/, or for many of pgbench's
/// transactions; one sample per round.
struct Query {
  std::string name;
  Samples off;    ///< With jit = off.
  Samples on;     ///< With jit = on and PostgreSQL's own provider, which compiles with LLVM.
  Samples sartor; ///< With Sartor's provider, after runs in which it has decided.

  /// The faster of the first two.
  [[nodiscard]] const Samples &stock() const;
  /// True if it scans or aggregates a table of binary numbers.
  [[nodiscard]] bool is_scan() const;
  [[nodiscard]] bool is_pgbench() const { return name.starts_with("pgbench_"); }
};

struct Measured {
  std::vector<Query> queries;
  std::string activity; ///< The provider's view: a line for each shape that was requested.
};

/// Runs each query in turn in two private servers, on tables with so many orders: 1,500,000 are a
/// gigabyte. The variable STUDY_POSTGRES_ORDERS of the environment has priority. Throws
/// std::runtime_error if a server fails or results differ.
Measured measure(std::size_t orders, std::size_t rounds);

} // namespace postgres

#endif
