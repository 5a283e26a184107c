// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_STUDIES_NF_DIFFERENTIAL_H
#define SARTOR_TEST_STUDIES_NF_DIFFERENTIAL_H

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "functions.h"
#include "traces.h"

namespace nf {

/// The results of a trace.
struct Played {
  std::vector<Sent> sent;
  std::vector<std::uint64_t> counts;
  bool operator==(const Played &) const = default;
};

/// A network function that processes packets while its configuration changes.
struct Play {
  const Function &function;
  Trace trace;
  /// Configuration files; each is active for an equal part of the trace.
  std::vector<std::string> configurations;
  /// Resets the tables to the same state.
  std::function<void()> forget;

  /// Runs native code.
  [[nodiscard]] Played generic() const;
  /// Runs variants that are compiled after each change, with the configuration invariant and random
  /// settings of points; fast paths answer the most frequent values of the previous part.
  [[nodiscard]] Played specialized(std::uint64_t seed) const;
};

} // namespace nf

#endif
