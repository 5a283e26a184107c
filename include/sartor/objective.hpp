// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_OBJECTIVE_HPP
#define SARTOR_OBJECTIVE_HPP

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sartor/histogram.hpp>

namespace sartor {

struct Objective;
struct Weighted;

/// Limits of a quantity, in its own unit.
struct Limits {
  std::optional<double> least = {};
  std::optional<double> most = {};
};

/// A bound of an objective: a quantity that must stay at `limit` or below, or above.
struct Bound {
  std::shared_ptr<const Objective> of;
  double limit = 0;
  bool is_most = true; ///< True: an upper limit; false: a lower limit.
};

/// One of the quantities of a weighted objective.
struct Quantity {
  std::shared_ptr<const Objective> of;
  double share = 1; ///< Share of the sum of all weights.
};

/// The quantity to optimize, measured in samples.
struct Objective {
  enum class Kind : std::uint8_t {
    counter, ///< `read` returns a count that only grows; the objective is its rate per second.
    gauge,   ///< `read` returns the objective itself, averaged over the sample.
    ratio, ///< `read` and `per` return counts; the objective is the growth of `read` per growth of
           ///< `per`.
    call,  ///< Ticks that a call of `handler` takes, timed by its entry; `read` is not used.
    percentile, ///< The value that `percent` of all that `buckets` counts do not exceed; `read`
                ///< returns the total count.
  };
  enum class Direction : std::uint8_t { higher_is_better, lower_is_better };

  std::function<double()> read; ///< Called from the explorer's thread.
  Kind kind = Kind::counter;
  Direction direction = Direction::higher_is_better;
  std::string name = "throughput";
  std::string unit = "1/s";
  std::function<double()> per = {}; ///< For a ratio: a count, e.g. of requests.
  std::string handler = {};         ///< For a call: the handler's name.
  /// For a counter: the cost of its work so far, in any unit. Cost per count distinguishes a
  /// changed workload from a lower load. Empty: the process's CPU time; a program that polls must
  /// set its own.
  std::function<double()> cost = {};
  Buckets buckets = {};           ///< For a percentile.
  double percent = 99;            ///< For a percentile: above 0, below 100.
  std::vector<Bound> bounds = {}; ///< Quantities that must stay within limits, see subject_to().
  /// For a weighted objective: all quantities. All other fields are those of the first, which
  /// determines the length of samples.
  std::vector<Quantity> quantities = {};

  /// The rate at which `counter` grows. The counter must outlive the objective.
  static Objective rate_of(const std::atomic<std::uint64_t> &counter,
                           std::string name = "throughput", std::string unit = "1/s");
  /// The value that `function` returns.
  static Objective value_of(std::function<double()> function, Direction direction,
                            std::string name = "objective", std::string unit = "");
  /// The growth of `cost` per growth of `per`, e.g. CPU seconds per request; lower is better.
  static Objective cost_per(std::function<double()> cost, std::function<double()> per,
                            std::string name = "cost per request", std::string unit = "");
  /// The energy of the processors in joules per growth of `per`, by the counters that Linux exports
  /// (powercap); covers everything that runs on the machine. Throws bad_objective if there are none
  /// or they cannot be read.
  static Objective energy_per(std::function<double()> per, std::string name = "energy per request");
  /// The ticks of the time-stamp counter that a call of a handler takes. While exploring, the
  /// handler's entry rotates variants over small batches of calls, on each thread separately, and
  /// times them; variants run at the same time on different threads.
  static Objective cost_of_call(std::string handler);
  /// The latency that `percent` of all requests do not exceed, in seconds; lower is better.
  /// Variants are compared by all of their requests together. The objective's name is e.g. "p99 of
  /// latency". The histogram must outlive the objective.
  static Objective percentile_of(const Histogram &histogram, double percent = 99,
                                 std::string name = "latency");
  /// The same for a histogram of the program's own, in the unit of its bounds.
  static Objective percentile_of(Buckets buckets, double percent = 99, std::string name = "latency",
                                 std::string unit = "s");
  /// Several quantities, each with a weight. Compares the product of their scores, each to the
  /// power of its share of all weights; so a variant is better by the sum of share × relative gain,
  /// as long as gains are small: 5 % more throughput at weight 2 outweighs a p99 that is 9 % higher
  /// at weight 1. Units do not matter. Decision::estimate is of that product, higher is better. The
  /// bounds of all members must be kept. Throws bad_objective if there are less than two members,
  /// if a weight is not positive, or if a member is weighted itself or the cost of a call.
  static Objective weighted(const std::vector<Weighted> &members);

  /// This objective among variants that keep another quantity within limits, for instance
  /// `rate.subject_to(Objective::percentile_of(latency), {.most = 2e-3})`. A trial that surely
  /// violates a bound is ended at once. Only a configuration that surely keeps all bounds is
  /// chosen, and it is better than an active one that does not, however slow. If no configuration
  /// keeps the bounds, the one with the least violation is chosen, and Decision::keeps_bounds is
  /// false. Bounds add up; those of the other quantity are not used. Limits must be positive. Not
  /// for cost_of_call(), whose variants run at the same time.
  [[nodiscard]] Objective subject_to(Objective other, Limits limits) const;
};

/// A quantity and its weight relative to others.
struct Weighted {
  Objective of;
  double weight = 1;
};

} // namespace sartor

#endif
