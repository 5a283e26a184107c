// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/exploration.h"

#include <algorithm>
#include <cmath>
#include <future>
#include <span>
#include <utility>

#include <sartor/race.hpp>
#include <sartor/strategies.hpp>

#include "explore/evidence/interval.h"
#include "observe/result.h"
#include "value/value_json.h"

namespace sartor {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

namespace {

/// So many configurations are raced; more are searched first.
constexpr std::uint64_t most_raced = 64;
/// How many of those that a search found best are raced in the end.
constexpr std::size_t finalists = 4;
/// A workload that does not stand still must not keep a race from ending.
constexpr int most_restarts = 3;
/// Configurations outside of the space that a strategy may propose in a row.
constexpr int most_outside = 10;
/// So many trials with exactly the same score say that the objective does not react at all.
constexpr std::size_t enough_to_be_constant = 20;
/// ... and so many that have led to a decision.
constexpr std::size_t fewest_to_be_constant = 4;
/// Trials after which to look whether something better than the incumbent has been found.
constexpr std::size_t trials_per_look = 8;
/// ... and slices that it must have had.
constexpr std::size_t enough_to_lead = 3;
/// A trial of several slices is better if it is by this many standard errors.
constexpr double sure_errors = 2;
/// How many of a configuration's first scores later ones are compared with.
constexpr std::size_t earlier_scores = 4;
/// By how much of what they were scores must have gone one way, and for how many windows.
constexpr double much_moved = 0.25;
constexpr int windows_moved = 2;

Error threw(const std::string &what) {
  return Error({ErrorCode::bad_strategy, "strategy", "threw: " + what,
                "mend the strategy; what was in force before is in force again"});
}

/// What a strategy throws becomes bad_strategy.
template <class Call> auto guarded(Call &&call) {
  try {
    return std::forward<Call>(call)();
  } catch (const Error &error) {
    throw error.code() == ErrorCode::bad_strategy ? error : threw(error.what());
  } catch (const std::exception &error) {
    throw threw(error.what());
  } catch (...) {
    throw threw("something of unknown type");
  }
}

double seconds_since(Clock::time_point time) {
  return std::chrono::duration<double>(Clock::now() - time).count();
}

} // namespace

Exploration::Exploration(Runtime &runtime, Meter &meter, const Objective &objective,
                         const ExplorerOptions &options, const SearchSpace &space, Start start)
    : runtime_(runtime), meter_(meter), objective_(objective), options_(options), space_(space),
      start_(std::move(start)), races_all_(!options.strategy && space.combinations() <= most_raced),
      trials_(runtime), incumbent_(start_.incumbent) {}

std::optional<Decision> Exploration::run(const std::stop_token &stop) {
  const auto began = Clock::now();
  runtime_.log_event("explore_start", dump({{"candidates", space_.combinations()},
                                            {"objective", objective_.name},
                                            {"unit", objective_.unit}}));
  try {
    meter_.set_incumbent(incumbent_);
    auto strategy = first_strategy();
    Outcome outcome = search(*strategy, stop);
    for (int restarts = 0; outcome == Outcome::workload_changed && restarts < most_restarts;
         ++restarts) {
      if (start_.keeper)
        start_.keeper->start_anew();
      strategy = first_strategy();
      outcome = search(*strategy, stop);
    }
    if (outcome == Outcome::sure && !options_.strategy && !races_all_ &&
        !is_constant(enough_to_be_constant)) {
      strategy = race_of(best_few());
      outcome = search(*strategy, stop);
    }
    trials_.flush();
    if (outcome == Outcome::stopped) {
      runtime_.specialize(incumbent_);
      return std::nullopt;
    }
    return decide(*strategy, began);
  } catch (...) {
    trials_.flush();
    runtime_.specialize(start_.incumbent);
    throw;
  }
}

std::unique_ptr<Strategy> Exploration::first_strategy() const {
  if (options_.strategy) {
    auto strategy = guarded([&] { return options_.strategy(space_); });
    if (!strategy)
      throw Error({ErrorCode::bad_objective, "strategy", "made no strategy",
                   "return one from ExplorerOptions::strategy"});
    return strategy;
  }
  if (races_all_)
    return race_of(space_.all());
  return coordinate_search(space_, {options_.most_trials, start_.seed});
}

/// The incumbent comes first: of equals it wins.
std::unique_ptr<Strategy> Exploration::race_of(std::vector<Configuration> candidates) const {
  if (const auto first = std::ranges::find(candidates, incumbent_); first != candidates.end())
    std::rotate(candidates.begin(), first, first + 1);
  return race(std::move(candidates),
              {options_.error_probability, options_.tolerance, options_.most_slices, start_.seed});
}

/// Those with the best trials, and what was in force before, if it may be chosen.
std::vector<Configuration> Exploration::best_few() const {
  std::vector<std::pair<double, const Configuration *>> found;
  for (const auto &[configuration, scores] : scores_)
    if (scores.last)
      found.emplace_back(*scores.last, &configuration);
  std::ranges::sort(found, std::greater(), &decltype(found)::value_type::first);
  found.resize(std::min(found.size(), finalists));
  std::vector<Configuration> few;
  if (space_.allows(start_.incumbent))
    few.push_back(start_.incumbent);
  for (const auto &[score, configuration] : found)
    if (*configuration != start_.incumbent)
      few.push_back(*configuration);
  return few;
}

Exploration::Outcome Exploration::search(Strategy &strategy, const std::stop_token &stop) {
  moved_direction_ = 0;
  outside_in_a_row_ = 0;
  carried_over_.reset();
  scores_.clear();
  const std::size_t slices = std::max<std::size_t>(guarded([&] { return strategy.slices(); }), 1);
  if (slices > 1) {
    const auto incumbent = meter_.measure(std::span(&incumbent_, 1), slices, stop);
    if (!incumbent)
      return Outcome::stopped;
    if (!incumbent->front().failed)
      incumbent_score_ = incumbent->front().score;
  }
  if (races_all_)
    for (const Configuration &configuration : space_.all())
      if (!compile(configuration, stop) && stop.stop_requested())
        return Outcome::stopped;
  for (;;) {
    if (stop.stop_requested())
      return Outcome::stopped;
    const auto batch = ask(strategy, slices);
    if (!batch)
      return Outcome::sure;
    const auto trials = try_out(*batch, slices, stop);
    if (!trials)
      return Outcome::stopped;
    for (const Trial &trial : *trials) {
      learn(strategy, trial);
      if (slices == 1 && !trial.failed && workload_moved(trial))
        return Outcome::workload_changed;
    }
    if (is_constant(enough_to_be_constant))
      return Outcome::sure;
  }
}

/// What to measure side by side; empty if all that was asked for was refused. Nothing when the
/// strategy has come to its end, or goes on about what has been measured often enough.
std::optional<Exploration::Batch> Exploration::ask(Strategy &strategy, std::size_t slices) {
  Batch batch;
  while (batch.size() < meter_.most_at_once()) {
    auto next = carried_over_ ? std::exchange(carried_over_, std::nullopt)
                              : guarded([&] { return strategy.ask(); });
    if (!next)
      break;
    if (!space_.allows(*next)) {
      refuse(strategy, *next);
      if (batch.empty())
        return batch;
      break;
    }
    if (std::ranges::find(batch, *next) != batch.end()) {
      carried_over_ = std::move(next);
      break;
    }
    std::size_t &asked_for = scores_[*next].slices;
    asked_for += slices;
    if (asked_for > std::max(options_.most_slices, slices)) {
      runtime_.log_event("strategy_repeats", dump({{"text", next->text()}}));
      return std::nullopt;
    }
    batch.push_back(std::move(*next));
  }
  if (batch.empty())
    return std::nullopt;
  return batch;
}

void Exploration::refuse(Strategy &strategy, const Configuration &configuration) {
  trials_.failed(configuration, "is outside of the space that is explored");
  if (++outside_in_a_row_ >= most_outside)
    throw Error({ErrorCode::bad_strategy, configuration.text(),
                 "is outside of the space, like all that the strategy proposed lately",
                 "propose what SearchSpace::allows()"});
  guarded([&] { strategy.tell({.configuration = configuration, .failed = true}); });
}

std::optional<std::vector<Trial>> Exploration::try_out(const Batch &batch, std::size_t slices,
                                                       const std::stop_token &stop) {
  std::vector<Trial> trials;
  while (start_.keeper && trials.size() < batch.size()) {
    auto kept = start_.keeper->recall(batch[trials.size()]);
    if (!kept)
      break;
    trials.push_back(std::move(*kept));
  }
  if (!batch.empty())
    outside_in_a_row_ = 0;
  const std::span fresh = std::span(batch).subspan(trials.size());
  Batch to_measure;
  for (const Configuration &configuration : fresh)
    if (compile(configuration, stop))
      to_measure.push_back(configuration);
    else if (stop.stop_requested())
      return std::nullopt;
  std::vector<Trial> measured;
  if (!to_measure.empty()) {
    const auto began = Clock::now();
    auto done = meter_.measure(to_measure, slices, stop);
    if (!done)
      return std::nullopt;
    measured = std::move(*done);
    const double seconds = seconds_since(began) / static_cast<double>(measured.size());
    for (const Trial &trial : measured)
      if (trial.failed)
        trials_.failed(trial.configuration, "the objective gave no number");
      else
        trials_.add(trial, seconds);
  }
  // In the order in which they were asked for, which is that in which they are recalled.
  for (const Configuration &configuration : fresh) {
    const auto found = std::ranges::find(measured, configuration, &Trial::configuration);
    trials.push_back(found == measured.end() ? Trial{.configuration = configuration, .failed = true}
                                             : std::move(*found));
    if (start_.keeper)
      start_.keeper->keep(trials.back());
  }
  return trials;
}

/// Waits for the full variant: no stopgap is worth a trial. False if it cannot be had, or stopped.
bool Exploration::compile(const Configuration &configuration, const std::stop_token &stop) {
  const auto [known, fresh] = compiled_.try_emplace(configuration, true);
  if (!fresh)
    return known->second;
  if (!meter_.know_incumbent(stop)) {
    compiled_.erase(known);
    return false;
  }
  using namespace std::chrono_literals;
  try {
    auto variants = runtime_.prepare(configuration);
    if (variants.wait_for(0s) != std::future_status::ready &&
        !meter_.wait_for([&] { return variants.wait_for(0s) == std::future_status::ready; },
                         stop)) {
      compiled_.erase(known);
      return false;
    }
    variants.get();
  } catch (const Error &error) {
    trials_.failed(configuration, error.what());
    known->second = false;
  }
  return known->second;
}

void Exploration::learn(Strategy &strategy, const Trial &trial) {
  guarded([&] { strategy.tell(trial); });
  if (trial.failed)
    return;
  scores_[trial.configuration].last = trial.score;
  if (told_++ == 0)
    first_score_ = trial.score;
  all_the_same_ = all_the_same_ && trial.score == first_score_;
  if (trial.slices > 1 && !trial.cut_short && trial.configuration != incumbent_ &&
      trial.score - sure_errors * trial.error > incumbent_score_) {
    incumbent_score_ = trial.score;
    adopt(trial.configuration);
  } else if (trial.slices == 1 && told_ % trials_per_look == 0) {
    const Decision best = guarded([&] { return strategy.best(); });
    if (best.estimate.windows >= enough_to_lead && best.configuration != incumbent_)
      adopt(best.configuration);
  }
}

/// What is best so far is in force between trials, and trials have to be paid for against it.
void Exploration::adopt(const Configuration &configuration) {
  incumbent_ = configuration;
  meter_.set_incumbent(incumbent_);
}

bool Exploration::is_constant(std::size_t trials) const {
  const auto of_how_many =
      std::ranges::count_if(scores_, [](const auto &each) { return each.second.last.has_value(); });
  return all_the_same_ && told_ >= trials && of_how_many > 1;
}

/// Whether slices have moved against earlier ones of the same configurations, whatever the strategy
/// tries: then old and new ones cannot be compared, and the race must start anew.
bool Exploration::workload_moved(const Trial &trial) {
  auto &earlier = scores_[trial.configuration].earlier;
  if (earlier.size() < earlier_scores) {
    earlier.push_back(trial.score);
    return false;
  }
  const double before = median(earlier);
  const double by = before > 0 ? trial.score / before - 1 : 0;
  const int direction = std::fabs(by) < much_moved ? 0 : by > 0 ? 1 : -1;
  const auto now = Clock::now();
  if (direction == 0 || direction != moved_direction_)
    moved_since_ = now;
  moved_direction_ = direction;
  // Slices are short, and foreign load comes in bursts of several: as long as the watch takes.
  if (now - moved_since_ < windows_moved * options_.watch_window)
    return false;
  runtime_.log_event("change", dump({{"before", before}, {"now", trial.score}}));
  return true;
}

/// Who was in the race for longest, and of those the one with the best last score.
std::optional<Configuration> Exploration::runner_up_of(const Configuration &winner) const {
  const std::pair<const Configuration, Scores> *second = nullptr;
  for (const auto &each : scores_)
    if (each.first != winner && each.second.last &&
        (!second || std::pair(each.second.slices, *each.second.last) >
                        std::pair(second->second.slices, *second->second.last)))
      second = &each;
  return second ? std::optional(second->first) : std::nullopt;
}

Decision Exploration::decide(const Strategy &strategy, Clock::time_point began) {
  Decision best = guarded([&] { return strategy.best(); });
  if (told_ == 0)
    best = {start_.incumbent, {}};
  if (is_constant(fewest_to_be_constant)) {
    best.configuration = start_.incumbent;
    runtime_.log_event(
        "objective_constant",
        dump({{"objective", objective_.name}, {"score", first_score_}, {"trials", told_}}));
  }
  best.runner_up = runner_up_of(best.configuration);
  adopt(best.configuration);
  runtime_.specialize(best.configuration); // which is told if it cannot be had any more
  runtime_.log_event("decide", dump({{"configuration", Json::parse(best.configuration.json())},
                                     {"text", best.configuration.text()},
                                     {"mean", best.estimate.mean},
                                     {"low", best.estimate.low},
                                     {"high", best.estimate.high},
                                     {"windows", best.estimate.windows},
                                     {"seconds", seconds_since(began)}}));
  return best;
}

} // namespace sartor
