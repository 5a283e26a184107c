// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Servers whose latencies have a known truth, in a time of their own: by variant, how many
/// requests take long, and how long. As worlds.h, for percentiles and bounds: explorations are
/// real.
#ifndef SARTOR_TEST_EXPLORE_TAILS_H
#define SARTOR_TEST_EXPLORE_TAILS_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <sartor/explorer.hpp>

namespace sartor::tails {

/// Most requests take half a `body` to one and a half. Some are slow, and take longer than `from`
/// by an exponential time; and now and then nothing is answered for some time.
struct Variant {
  double body = 100e-6;
  double slow_share = 0.02;
  double slow_by = 500e-6;  ///< The mean of what slow ones take beyond `from`.
  double stalled_share = 0; ///< Of the time ...
  double stall = 0.02; ///< ... in stalls of so many seconds, which all requests in it wait for.
  double rate = 1000;  ///< What it does beside, where a rate is the objective.

  /// Of all requests, those that take longer; for limits of `from` or more.
  [[nodiscard]] double share_above(double limit) const;
  /// The 99th percentile; above `from`.
  [[nodiscard]] double p99() const;
};
constexpr double from = 1e-3;

struct Server {
  std::string name;
  std::vector<Variant> variants; ///< The first is the generic code, and in force at first.
  double requests = 10'000;      ///< In a second.
  /// What all latencies are multiplied with, by the time.
  std::function<double(double)> machine = {};
};

/// Servers by their 99th percentile.
std::vector<Server> servers();
/// ... and by a rate, where the 99th percentile has to be `most` at most.
std::vector<Server> bounded_servers();
constexpr double most = 2e-3;

struct Outcome {
  Decision decision;
  std::size_t chosen = 0;
  double seconds = 0; ///< Of the server's time.
  double above = 0;   ///< The share of requests in it above `most`.
  std::vector<std::string> events{};
};

/// Explores a server once, by its percentile, or its rate within the bound.
Outcome explore(const Server &server, bool is_bounded, const ExplorerOptions &options,
                std::uint64_t seed);

} // namespace sartor::tails

#endif
