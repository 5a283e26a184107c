// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_OBJECTIVE_HPP
#define SARTOR_OBJECTIVE_HPP

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace sartor {

/// The number that says how well the system does, read over a window.
struct Objective {
  enum class Kind : std::uint8_t {
    counter, ///< `read` gives a count that only grows; the objective is its rate per second.
    gauge,   ///< `read` gives the objective itself, averaged over readings in the window.
    ratio, ///< `read` and `per` give counts; the objective is how much the one grows by the other.
    call,  ///< The ticks that a call of `handler` takes, timed by its entry; `read` is not used.
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

  /// The rate at which `counter` grows. The counter must outlive the objective.
  static Objective rate_of(const std::atomic<std::uint64_t> &counter,
                           std::string name = "throughput", std::string unit = "1/s");
  /// What `function` returns.
  static Objective value_of(std::function<double()> function, Direction direction,
                            std::string name = "objective", std::string unit = "");
  /// What `cost` grows by for each that `per` grows by, e.g. CPU seconds per request; low is good.
  static Objective cost_per(std::function<double()> cost, std::function<double()> per,
                            std::string name = "cost per request", std::string unit = "");
  /// The ticks of the time-stamp counter that a call of a handler takes. While exploring, the
  /// handler's entry rotates variants over small batches of calls, on each thread for itself, and
  /// times them; variants run side by side on different threads.
  static Objective cost_of_call(std::string handler);
};

} // namespace sartor

#endif
