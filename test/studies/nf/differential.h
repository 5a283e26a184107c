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

/// What has come of a trace.
struct Played {
  std::vector<Sent> sent;
  std::vector<std::uint64_t> counts;
  bool operator==(const Played &) const = default;
};

/// A function to which packets come while its configuration changes.
struct Play {
  const Function &function;
  Trace trace;
  /// Files; each is in force for an equal part of the trace.
  std::vector<std::string> configurations;
  /// Makes its tables anew, the same each time.
  std::function<void()> forget;

  /// By native code.
  [[nodiscard]] Played generic() const;
  /// By variants that are made after each change, with the configuration promised and points set by
  /// chance; fast paths answer what came in the part before.
  [[nodiscard]] Played specialized(std::uint64_t seed) const;
};

} // namespace nf

#endif
