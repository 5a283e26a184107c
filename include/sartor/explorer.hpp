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

/// Options of an Explorer. Durations are wall time.
struct ExplorerOptions {
  /// The shortest sample. A sample in which a counter barely moved is prolonged until it has moved
  /// `events_per_sample` times, or for `longest_sample_time`.
  std::chrono::microseconds sample_time{2000};
  std::chrono::microseconds longest_sample_time{500'000};
  double events_per_sample = 3;
  /// Time to discard after each switch of variants, because the objective lags. Empty: the lag is
  /// measured (event `lags`).
  std::optional<std::chrono::microseconds> settle = {};

  /// Values to try at points that have none of their own (generic points), or at any point instead
  /// of its own: label → values.
  std::map<std::string, std::vector<Value>> choices = {};

  /// Labels that only tune, at which any of their values gives right results, as with a block size:
  /// they are set without a guard, so that the value that the program passes there may differ from
  /// the one being tried.
  std::set<std::string> unguarded = {};

  /// Probability that the choice is worse by more than `tolerance` than the configuration that was
  /// active, than the generic code or, if all configurations are raced, than the best of them. It
  /// is met in simulation (`make bench-explore-truth`) for events that occur at least once in a
  /// `confirm_for`.
  double error_probability = 0.05;
  /// Variants whose scores differ by less than this share of the best count as equal.
  double tolerance = 0.01;
  /// The maximum number of samples of one candidate in a race.
  std::size_t most_samples = 2000;
  /// Measuring time, in seconds, for which the best candidate is compared with the active
  /// configuration and the generic code, in interleaved samples, before it may replace them; up to
  /// five times as long if the evidence is not sufficient by then. Events that are rarer than this
  /// time are not noticed.
  std::chrono::milliseconds confirm_for{3000};
  /// The maximum number of configurations that are tried if there are too many to race them all.
  std::size_t most_trials = 100;
  /// The share of throughput that exploring may cost, compared with the best known so far. Trials
  /// are cut short, and samples of the best inserted between them, to keep it.
  double regression_budget = 0.05;

  /// Monitor the program after a decision, and explore again when its workload has changed. If
  /// false, Explorer::start() explores once.
  bool detect_changes = true;
  /// The share of throughput that change detection may cost: the time for which the runner-up is
  /// active to compare it with the best, times how much worse it is.
  double detection_budget = 0.005;
  /// The period over which profiles are compared and the event log reports; a loss of performance
  /// is detected separately, at any time.
  std::chrono::milliseconds detection_window{2000};
  /// Returns the program's name for its present workload; may be empty. A different name is a
  /// change, and the best-known configuration of a name seen before is activated at once. Programs
  /// with instrumented points need no name: their profiles distinguish workloads. Called often,
  /// from the explorer's thread.
  std::function<std::string()> signature = {};

  /// Trials are saved in this file, and an interrupted exploration is resumed from it. Empty: not
  /// saved. One file for each explorer: a file with trials of other points, settings, constraints
  /// or another objective is refused with wrong_journal when exploring begins.
  std::filesystem::path journal = {};

  /// The best-known configuration of each workload is saved in this file, for the next start of the
  /// program and for other replicas: they are compiled and tried first, and the one of a workload
  /// that has a name (`signature`) is activated at once and verified. Empty: not saved. Several
  /// processes may share the file.
  std::filesystem::path best_known = {};

  /// Creates the strategy of each exploration. Empty: race() over all configurations if there are
  /// few; otherwise points of different handlers are raced separately, by the calls of these, and
  /// local_search() handles the points that this cannot decide. The strategy only nominates: the
  /// best configurations that it found are raced with the active one and the generic code, and the
  /// leader is confirmed before it stays active.
  std::function<std::unique_ptr<Strategy>(const SearchSpace &)> strategy = {};

  /// Reads a JSON object: options by their names, durations in seconds, `choices` as an object of
  /// lists, `unguarded` as a list, and a `strategy` by its name with its `seed`; missing options
  /// have their defaults: `{"sample_time":0.002,"choices":{"N":[64,256]}}`. Throws bad_json, which
  /// names the option, and bad_objective for an unknown strategy.
  static ExplorerOptions from_json(std::string_view text);
  /// The options that from_json() knows, for programs that list them: a JSON array of
  /// `{"name":"sample_time","type":"seconds","default":0.002,"says":"how long a slice is at
  /// least"}`. Types are seconds, number, count, flag, path, labels, values and text.
  static std::string describe();
};

/// Finds the best configuration of a running program, activates it, and explores again when the
/// workload changes. Runs trials on its own thread.
class Explorer {
public:
  /// `runtime` must outlive the explorer. Throws bad_objective, unknown_label,
  /// value_outside_choices.
  Explorer(Runtime &runtime, Objective objective, ExplorerOptions options = {});
  /// Stops; the active variants stay active.
  ~Explorer();
  Explorer(Explorer &&) noexcept;
  Explorer &operator=(Explorer &&) noexcept;

  /// Starts exploration and change detection in the background.
  void start();
  /// Stops after the current sample. An exploration under way is undone: the configuration that was
  /// active before is activated again. A decision made earlier stays active.
  void stop();
  /// Runs one exploration on the calling thread and returns the decision that it activated. Must
  /// not be called while started.
  Decision explore();
  /// The same, until `stop` is requested: then it returns nothing, and the previous configuration
  /// has been restored.
  std::optional<Decision> explore(const std::stop_token &stop);
  /// The last decision; nothing before the first.
  [[nodiscard]] std::optional<Decision> decision() const;
  /// Number of completed explorations.
  [[nodiscard]] std::size_t explorations() const;
  /// The configurations that it chooses from.
  [[nodiscard]] const SearchSpace &space() const;

  struct Impl;

private:
  std::unique_ptr<Impl> impl_;
};

/// Starts an explorer, which works until it is destroyed.
[[nodiscard]] Explorer autotune(Runtime &runtime, Objective objective,
                                ExplorerOptions options = {});

} // namespace sartor

#endif
