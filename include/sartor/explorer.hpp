// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_EXPLORER_HPP
#define SARTOR_EXPLORER_HPP

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <sartor/objective.hpp>
#include <sartor/runtime.hpp>
#include <sartor/strategy.hpp>

namespace sartor {

/// How an Explorer works. Durations are wall time.
struct ExplorerOptions {
  /// The shortest window. One in which the counter barely moved is prolonged until it has moved
  /// `window_events` times, or for `longest_window`.
  std::chrono::milliseconds window{20};
  std::chrono::milliseconds longest_window{500};
  double window_events = 3;

  /// Values to try at points that have none of their own (generic points), or at any point instead
  /// of its own: label → values.
  std::map<std::string, std::vector<Value>> choices = {};

  /// Labels that only tune, where any of their values gives right results, as with a block size:
  /// they are set without a guard, so that the value the program passes there need not be the one
  /// being tried.
  std::set<std::string> unguarded;

  /// Probability that the choice is wrong by more than `tolerance`.
  double error_probability = 0.05;
  /// Variants closer together than this share of the best are as good as each other.
  double tolerance = 0.01;
  /// The most windows that one candidate gets.
  std::size_t most_windows = 60;

  /// Explore again when the objective has moved by this share of what it was ...
  double change_threshold = 0.25;
  /// ... in this many windows of `watch_window` in a row.
  std::size_t change_windows = 2;
  std::chrono::milliseconds watch_window{200};

  /// Makes the strategy of each exploration from the candidates. Empty: race() (see race.hpp).
  std::function<std::unique_ptr<Strategy>(const std::vector<Configuration> &)> strategy = {};
};

/// Looks for the best configuration of a running program, puts it in force, and looks again when
/// the workload changes. Runs trials on a thread of its own.
class Explorer {
public:
  /// `runtime` must outlive the explorer. Throws bad_objective, unknown_label,
  /// value_outside_choices.
  Explorer(Runtime &runtime, Objective objective, ExplorerOptions options = {});
  /// Stops; what is in force stays in force.
  ~Explorer();
  Explorer(Explorer &&) noexcept;
  Explorer &operator=(Explorer &&) noexcept;

  /// Starts exploring and watching in the background.
  void start();
  /// Stops after the window under way. The best so far stays in force.
  void stop();
  /// One exploration on the calling thread; returns what it put in force. Not while started.
  Decision explore();
  /// The last decision; nothing before the first.
  [[nodiscard]] std::optional<Decision> decision() const;
  /// Completed explorations.
  [[nodiscard]] std::size_t explorations() const;
  /// The candidates: the cartesian product of all points' values, each point's "generic" included.
  [[nodiscard]] const std::vector<Configuration> &candidates() const;

  struct Impl;

private:
  std::unique_ptr<Impl> impl_;
};

/// Explores and watches until the returned explorer is destroyed.
[[nodiscard]] Explorer autotune(Runtime &runtime, Objective objective,
                                ExplorerOptions options = {});

} // namespace sartor

#endif
