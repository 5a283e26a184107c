// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_EXPLORER_HPP
#define SARTOR_EXPLORER_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <sartor/objective.hpp>
#include <sartor/runtime.hpp>
#include <sartor/search_space.hpp>
#include <sartor/strategy.hpp>

namespace sartor {

/// How an Explorer works. Durations are wall time.
struct ExplorerOptions {
  /// The shortest slice. One in which a counter barely moved is prolonged until it has moved
  /// `slice_events` times, or for `longest_slice`.
  std::chrono::microseconds slice{2000};
  std::chrono::microseconds longest_slice{500'000};
  double slice_events = 3;
  /// How long the objective goes on as before when another variant has been put in force; so much
  /// is left out after each switch. Nothing: it is found out (event `lags`).
  std::optional<std::chrono::microseconds> settle = {};

  /// Values to try at points that have none of their own (generic points), or at any point instead
  /// of its own: label → values.
  std::map<std::string, std::vector<Value>> choices = {};

  /// Labels that only tune, where any of their values gives right results, as with a block size:
  /// they are set without a guard, so that the value the program passes there need not be the one
  /// being tried.
  std::set<std::string> unguarded = {};

  /// Probability that the choice is worse by more than `tolerance` than what was in force, than the
  /// generic code or, where all configurations are raced, than the best of them. It is held in
  /// simulation (`make bench-explore-truth`), for what comes once in a `confirm_for` at least.
  double error_probability = 0.05;
  /// Variants closer together than this share of the best are as good as each other.
  double tolerance = 0.01;
  /// The most slices that one candidate gets in a race.
  std::size_t most_slices = 2000;
  /// For how long, in seconds of measuring, the best is held against what is in force and the
  /// generic code, side by side, before it may take their place; up to five times as long if the
  /// evidence is not there by then. What comes less often than in this time is not known of.
  std::chrono::milliseconds confirm_for{3000};
  /// The most configurations that are tried where there are too many to race them all.
  std::size_t most_trials = 100;
  /// The share of throughput that exploring may cost, against the best known so far. Trials are
  /// cut short, and slices of the best put between them, so that it is kept.
  double regression_budget = 0.05;

  /// Watch the program after a decision, and explore again when its workload has changed. Without,
  /// Explorer::start() explores once.
  bool watch = true;
  /// The share of throughput that watching may cost: the time for which the runner-up is in force
  /// to compare it with the best, times how much worse it is.
  double watch_budget = 0.005;
  /// What profiles are compared over and what the event log tells; lost ground is noticed by
  /// itself, at any time.
  std::chrono::milliseconds watch_window{2000};
  /// What the program calls its present workload; may be empty. Another name is a change, and the
  /// winner of a name that came before is put in force at once. Programs with instrumented points
  /// need none: what those see tells workloads apart. Called often, from the explorer's thread.
  std::function<std::string()> signature = {};

  /// Trials are kept in this file, and an exploration that was interrupted goes on from there.
  /// Empty: nowhere. One file for each explorer: one with trials of other points, settings,
  /// constraints or another objective is refused with wrong_journal when exploring begins.
  std::filesystem::path journal = {};

  /// The winner of each workload is kept in this file, for the next start of the program and for
  /// others of its kind: they are compiled and tried first, and the one of a workload that has a
  /// name (`signature`) is put in force at once and verified. Empty: nowhere. Several processes may
  /// share it.
  std::filesystem::path winners = {};

  /// Makes the strategy of each exploration. Empty: race() over all configurations if there are
  /// few; else points of different handlers are raced apart, by the calls of these, and
  /// local_search() has what that cannot tell of. It only nominates: the best it found are raced
  /// with what was in force and the generic code, and the winner is confirmed before it stays.
  std::function<std::unique_ptr<Strategy>(const SearchSpace &)> strategy = {};

  /// From a JSON object: options by their names, durations in seconds, `choices` as an object of
  /// lists, `unguarded` as a list, and a `strategy` by its name with its `seed`; what is left out
  /// is as by default: `{"slice":0.002,"choices":{"N":[64,256]}}`. Throws bad_json, which names the
  /// option, and bad_objective for a strategy that there is not.
  static ExplorerOptions from_json(std::string_view text);
  /// The options that from_json() knows, for programs that list them: a JSON array of
  /// `{"name":"slice","type":"seconds","default":0.002,"says":"how long a slice is at least"}`.
  /// Types are seconds, number, count, flag, path, labels, values and text.
  static std::string describe();
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
  /// Stops after the reading under way. While it explores, what was in force before is in force
  /// again then; what was decided stays.
  void stop();
  /// One exploration on the calling thread; returns what it put in force. Not while started.
  Decision explore();
  /// The same until `stop` is requested: then nothing, and what was in force before is again.
  std::optional<Decision> explore(const std::stop_token &stop);
  /// The last decision; nothing before the first.
  [[nodiscard]] std::optional<Decision> decision() const;
  /// Completed explorations.
  [[nodiscard]] std::size_t explorations() const;
  /// What it chooses from.
  [[nodiscard]] const SearchSpace &space() const;

  struct Impl;

private:
  std::unique_ptr<Impl> impl_;
};

/// Explores and watches until the returned explorer is destroyed.
[[nodiscard]] Explorer autotune(Runtime &runtime, Objective objective,
                                ExplorerOptions options = {});

} // namespace sartor

#endif
