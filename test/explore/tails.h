// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Servers whose latencies have a known truth, in simulated time: the share of slow requests and
/// their duration, by variant. The counterpart of worlds.h for percentiles and bounds; explorations
/// are real.
#ifndef SARTOR_TEST_EXPLORE_TAILS_H
#define SARTOR_TEST_EXPLORE_TAILS_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <sartor/explorer.hpp>

namespace sartor::tails {

/// Most requests take from half a `body` to one and a half. Slow requests take longer than `from`
/// by an exponentially distributed time; occasionally the server stalls and answers nothing.
struct Variant {
  double body = 100e-6;
  double slow_share = 0.02;
  double slow_by = 500e-6;  ///< Mean time that slow requests take beyond `from`.
  double stalled_share = 0; ///< Share of the time ...
  double stall = 0.02; ///< ... in stalls of this many seconds, which all requests in it wait for.
  double rate = 1000;  ///< The rate that it reaches in addition, where a rate is the objective.

  /// The share of all requests that take longer than `limit`; for limits of `from` or more.
  [[nodiscard]] double share_above(double limit) const;
  /// The 99th percentile; above `from`.
  [[nodiscard]] double p99() const;
};
constexpr double from = 1e-3;

struct Server {
  std::string name;
  std::vector<Variant> variants; ///< The first is the generic code, which is active at first.
  double requests = 10'000;      ///< Per second.
  /// Factor on all latencies as a function of time.
  std::function<double(double)> machine = {};
};

/// Servers that are compared by their 99th percentile.
std::vector<Server> servers();
/// Servers that are compared by a rate, with a bound of `most` on the 99th percentile.
std::vector<Server> bounded_servers();
constexpr double most = 2e-3;

struct Outcome {
  Decision decision;
  std::size_t chosen = 0;
  double seconds = 0; ///< In the server's time.
  double above = 0;   ///< The share of requests above `most` in that time.
  std::vector<std::string> events{};
};

/// Explores a server once, by its percentile, or by its rate within the bound.
Outcome explore(const Server &server, bool is_bounded, const ExplorerOptions &options,
                std::uint64_t seed);

} // namespace sartor::tails

#endif
