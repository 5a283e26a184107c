// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef STUDIES_WEB_MEASURE_H
#define STUDIES_WEB_MEASURE_H

#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness.h"

namespace web {

using sartor::bench::Samples;

/// Privileges or packages are missing; web.sh has printed which.
class Skipped : public std::runtime_error {
public:
  Skipped() : std::runtime_error("skipped") {}
};
/// The exit status of a program that is skipped.
constexpr int kSkipped = 77;

/// Samples of each quantity, one per round; turns.py names the quantities.
using Quantities = std::map<std::string, Samples>;

struct Measured {
  std::vector<std::string> kinds; ///< The kinds of operations, and "all".
  double rate = 0;                ///< Operations per second of the open loop.
  Quantities stock;               ///< All servers started by the stock loader.
  Quantities loader;              ///< All servers started by sartor-ld.

  /// True if both ways have samples of the quantity: not each machine counts events.
  [[nodiscard]] bool has(const std::string &quantity) const;
  /// Returns sartor-ld's samples ÷ those of the stock loader, as the median over rounds.
  [[nodiscard]] sartor::bench::Interval ratio(const std::string &quantity) const;
};

/// The servers, and the events that perf counts, as turns.py names them.
extern const std::vector<std::string> kServers;
extern const std::vector<std::string> kEvents;

/// Measures the site with both loaders in turns. The variable BENCH_ROUNDS of the environment has
/// priority. Throws Skipped, or std::runtime_error if a server fails or an answer is wrong.
Measured measure(std::size_t rounds);

} // namespace web

#endif
