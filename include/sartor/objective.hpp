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

/// Within what a quantity has to stay, in its own unit.
struct Limits {
  std::optional<double> least = {};
  std::optional<double> most = {};
};

/// What an objective is subject to: a quantity that has to stay at `limit` or below, or above.
struct Bound {
  std::shared_ptr<const Objective> of;
  double limit = 0;
  bool is_most = true; ///< Not above the limit; else not below.
};

/// One of the quantities of a weighted objective.
struct Quantity {
  std::shared_ptr<const Objective> of;
  double share = 1; ///< Of all weights.
};

/// The number that says how well the system does, read over a window.
struct Objective {
  enum class Kind : std::uint8_t {
    counter, ///< `read` gives a count that only grows; the objective is its rate per second.
    gauge,   ///< `read` gives the objective itself, averaged over readings in the window.
    ratio, ///< `read` and `per` give counts; the objective is how much the one grows by the other.
    call,  ///< The ticks that a call of `handler` takes, timed by its entry; `read` is not used.
    percentile, ///< What `percent` of all that `buckets` count do not exceed; `read` gives how many
                ///< that are.
  };
  enum class Direction : std::uint8_t { higher_is_better, lower_is_better };

  std::function<double()> read; ///< Called from the explorer's thread.
  Kind kind = Kind::counter;
  Direction direction = Direction::higher_is_better;
  std::string name = "throughput";
  std::string unit = "1/s";
  std::function<double()> per = {}; ///< Of a ratio: a count, e.g. of requests.
  std::string handler = {};         ///< Of a call: the handler's name.
  /// Of a counter: what its work has cost so far, in any unit. Cost per count is what tells a
  /// changed workload from a quiet night. Empty: the process's CPU time; a program that polls must
  /// give its own.
  std::function<double()> cost = {};
  Buckets buckets = {};           ///< Of a percentile.
  double percent = 99;            ///< Of a percentile: which; above 0, below 100.
  std::vector<Bound> bounds = {}; ///< What must hold, see subject_to().
  /// Of a weighted objective: all of them. All else is that of the first, which decides how long
  /// windows are.
  std::vector<Quantity> quantities = {};

  /// The rate at which `counter` grows. The counter must outlive the objective.
  static Objective rate_of(const std::atomic<std::uint64_t> &counter,
                           std::string name = "throughput", std::string unit = "1/s");
  /// What `function` returns.
  static Objective value_of(std::function<double()> function, Direction direction,
                            std::string name = "objective", std::string unit = "");
  /// What `cost` grows by for each that `per` grows by, e.g. CPU seconds per request; low is good.
  static Objective cost_per(std::function<double()> cost, std::function<double()> per,
                            std::string name = "cost per request", std::string unit = "");
  /// The joules that processors take for each that `per` grows by, by the counters that Linux shows
  /// of them (powercap); of all that runs on the machine. Throws bad_objective where there are none
  /// or they cannot be read.
  static Objective energy_per(std::function<double()> per, std::string name = "energy per request");
  /// The ticks of the time-stamp counter that a call of a handler takes. While exploring, the
  /// handler's entry rotates variants over small batches of calls, on each thread for itself, and
  /// times them; variants run side by side on different threads.
  static Objective cost_of_call(std::string handler);
  /// The latency that `percent` of all requests do not exceed, in seconds; low is good. Variants
  /// are compared by all of their requests together. The objective's name is e.g. "p99 of latency".
  /// The histogram must outlive it.
  static Objective percentile_of(const Histogram &histogram, double percent = 99,
                                 std::string name = "latency");
  /// The same of a histogram of the program's own, in the unit of its bounds.
  static Objective percentile_of(Buckets buckets, double percent = 99, std::string name = "latency",
                                 std::string unit = "s");
  /// Several quantities, each with a weight. What is compared is the product of their scores, each
  /// to the power of its share of all weights; so a variant is better by the sum of share ×
  /// relative gain, as long as gains are small: 5 % more throughput at weight 2 outweighs a p99
  /// that is 9 % higher at weight 1. No unit takes part. Decision::estimate is of that product,
  /// higher is better. The bounds of all members must hold. Throws bad_objective where there are
  /// less than two, where a weight is not positive, or where one is weighted itself or the cost of
  /// a call.
  static Objective weighted(const std::vector<Weighted> &members);

  /// This objective among variants that keep another quantity within limits, for instance
  /// `rate.subject_to(Objective::percentile_of(latency), {.most = 2e-3})`. A trial that surely
  /// breaks a bound is ended at once, only what surely keeps all is chosen, and what keeps them is
  /// better than what is in force and does not, however slow. Where nothing keeps them, what breaks
  /// the bound the least is chosen, and Decision::keeps_bounds tells. Bounds add up; those of the
  /// other quantity are not used. Limits must be positive. Not for cost_of_call(), whose variants
  /// run side by side.
  [[nodiscard]] Objective subject_to(Objective other, Limits limits) const;
};

/// A quantity, and how much it counts beside others.
struct Weighted {
  Objective of;
  double weight = 1;
};

} // namespace sartor

#endif
