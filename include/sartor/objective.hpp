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
  };
  enum class Direction : std::uint8_t { higher_is_better, lower_is_better };

  std::function<double()> read; ///< Called from the explorer's thread.
  Kind kind = Kind::counter;
  Direction direction = Direction::higher_is_better;
  std::string name = "throughput";
  std::string unit = "1/s";

  /// The rate at which `counter` grows. The counter must outlive the objective.
  static Objective rate_of(const std::atomic<std::uint64_t> &counter,
                           std::string name = "throughput", std::string unit = "1/s");
  /// What `function` returns.
  static Objective value_of(std::function<double()> function, Direction direction,
                            std::string name = "objective", std::string unit = "");
};

} // namespace sartor

#endif
