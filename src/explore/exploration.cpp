// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/exploration.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <sartor/race.hpp>

#include "observe/result.h"
#include "point/value_json.h"

namespace sartor {

using Json = nlohmann::ordered_json;

namespace {

/// Compiles asked for ahead of the trials. Few: requests are served newest first, so that the one a
/// trial waits for does not queue behind these.
constexpr std::size_t compiles_ahead = 4;
/// A workload that does not stand still must not keep a race from ending.
constexpr int most_restarts = 3;
/// A window that cannot reach this share of the best rate any more is cut off.
constexpr double hopeless_share = 0.5;

Json fields_of(const Configuration &configuration) {
  return {{"configuration", Json::parse(configuration.json())}, {"text", configuration.text()}};
}

} // namespace

Exploration::Exploration(Runtime &runtime, const Objective &objective,
                         const ExplorerOptions &options, const SearchSpace &space,
                         std::uint64_t seed)
    : runtime_(runtime), objective_(objective), options_(options), space_(space), seed_(seed) {
  if (!options_.strategy)
    candidates_ = space.all();
}

std::optional<Decision> Exploration::run(const std::stop_token &stop) {
  const auto start = std::chrono::steady_clock::now();
  const Configuration before = runtime_.configuration();
  runtime_.log_event("explore_start", dump({{"candidates", space_.combinations()},
                                            {"objective", objective_.name},
                                            {"unit", objective_.unit}}));
  try {
    for (int restarts = 0;; ++restarts) {
      const auto strategy = options_.strategy
                                ? options_.strategy(space_)
                                : race(candidates_, {options_.error_probability, options_.tolerance,
                                                     options_.most_slices, seed_});
      if (!strategy)
        throw Error({ErrorCode::bad_objective, "strategy", "made no strategy",
                     "return one from ExplorerOptions::strategy"});
      const Outcome outcome = race_once(*strategy, stop);
      if (outcome == Outcome::workload_changed && restarts < most_restarts)
        continue;
      const Decision best = strategy->best();
      runtime_.specialize(outcome == Outcome::stopped && !succeeded_ ? before : best.configuration);
      if (outcome == Outcome::stopped)
        return std::nullopt;
      Json fields = fields_of(best.configuration);
      fields["mean"] = best.estimate.mean;
      fields["low"] = best.estimate.low;
      fields["high"] = best.estimate.high;
      fields["windows"] = best.estimate.windows;
      fields["seconds"] =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      runtime_.log_event("decide", dump(fields));
      return best;
    }
  } catch (...) {
    runtime_.specialize(before);
    throw;
  }
}

Exploration::Outcome Exploration::race_once(Strategy &strategy, const std::stop_token &stop) {
  succeeded_ = false;
  best_score_ = 0;
  scores_.clear();
  moved_direction_ = 0;
  while (const auto configuration = strategy.ask()) {
    if (stop.stop_requested())
      return Outcome::stopped;
    prepare_some();
    const auto trial = try_out(*configuration, stop);
    if (!trial)
      return Outcome::stopped;
    strategy.tell(*trial);
    if (trial->failed)
      continue;
    succeeded_ = true;
    best_score_ = std::max(best_score_, trial->score);
    if (workload_moved(*trial))
      return Outcome::workload_changed;
  }
  return Outcome::sure;
}

std::optional<Trial> Exploration::try_out(const Configuration &configuration,
                                          const std::stop_token &stop) {
  try {
    runtime_.prepare(configuration).get(); // no stopgap: only the full variant is worth a trial
    runtime_.specialize(configuration);
  } catch (const Error &error) {
    log_failure(configuration, error.what());
    return Trial{.configuration = configuration, .failed = true};
  }
  const bool rate = objective_.kind == Objective::Kind::counter &&
                    objective_.direction == Objective::Direction::higher_is_better;
  const auto reading =
      read_window(objective_, {options_.slice, options_.longest_slice, options_.slice_events},
                  rate ? hopeless_share * best_score_ : 0, stop);
  if (!reading)
    return std::nullopt;
  if (std::isnan(reading->value)) {
    log_failure(configuration, "the objective gave no number");
    return Trial{.configuration = configuration, .failed = true};
  }
  const Trial trial{configuration, score_of(objective_, reading->value)};
  Json fields = fields_of(configuration);
  fields["score"] = trial.score;
  fields["value"] = reading->value;
  fields["seconds"] = reading->seconds;
  runtime_.log_event("trial", dump(fields));
  return trial;
}

/// Keeps the compiler busy while trials run. Not where only a few candidates will be tried.
void Exploration::prepare_some() {
  std::erase_if(compiling_, [](auto &compile) {
    return compile.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  });
  for (; compiling_.size() < compiles_ahead && prepared_ < candidates_.size(); ++prepared_) {
    try {
      compiling_.push_back(runtime_.prepare(candidates_[prepared_]));
    } catch (const Error &) { // Told by the trial, which meets with the same error.
    }
  }
}

/// Whether scores have moved against those of the same configurations before, whatever the strategy
/// tries: then old and new scores cannot be compared, and the race must start anew.
bool Exploration::workload_moved(const Trial &trial) {
  // The compiler takes time from the program; when it is done, everything moves.
  if (!compiling_.empty()) {
    scores_.clear();
    return false;
  }
  const auto [it, first] = scores_.try_emplace(trial.configuration, trial.score);
  if (first)
    return false;
  const double before = std::exchange(it->second, trial.score);
  const double by = before > 0 ? trial.score / before - 1 : 0;
  const int direction = std::fabs(by) < options_.change_threshold ? 0 : by > 0 ? 1 : -1;
  const auto now = std::chrono::steady_clock::now();
  if (direction == 0 || direction != moved_direction_)
    moved_since_ = now;
  moved_direction_ = direction;
  // Windows are short, and foreign load comes in bursts of several: as long as the watch takes.
  if (now - moved_since_ < options_.change_windows * options_.watch_window)
    return false;
  runtime_.log_event("change", dump({{"before", before}, {"now", trial.score}}));
  return true;
}

void Exploration::log_failure(const Configuration &configuration, const std::string &why) const {
  Json fields = fields_of(configuration);
  fields["failed"] = true;
  fields["error"] = why;
  runtime_.log_event("trial", dump(fields));
}

} // namespace sartor
