// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/exploration.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "base/result.h"
#include "base/text/value_json.h"
#include "tuner/evidence/interval.h"
#include "tuner/evidence/paired_test.h"
#include "tuner/guarded.h"
#include "tuner/limits.h"
#include "tuner/objective/check.h"
#include "tuner/persistence/trial_json.h"
#include "tuner/search/confirmation.h"

namespace sartor {

using Json = nlohmann::ordered_json;

namespace {

/// Converts an estimate of scores into the unit of the objective.
Estimate in_unit(const Objective &objective, const Estimate &score) {
  if (has_negated_scores(objective))
    return {-score.mean, -score.high, -score.low, score.windows};
  if (objective.kind != Objective::Kind::percentile || !objective.quantities.empty())
    return score;
  return {1 / score.mean, 1 / score.high,
          score.low > 0 ? 1 / score.low : std::numeric_limits<double>::infinity(), score.windows};
}

} // namespace

Exploration::Exploration(Variants &variants, Meter &meter, const Objective &objective,
                         const ExplorerOptions &options, const SearchSpace &space, Start start)
    : variants_(variants), meter_(meter), objective_(objective), options_(options), space_(space),
      start_(std::move(start)),
      races_all_(!start_.candidates.empty() ||
                 (!options.strategy && space.combinations() <= limits::most_raced)),
      trials_(variants, start_.so_far), compiles_(variants, trials_), evidence_(objective),
      bounds_(objective), incumbent_(start_.incumbent) {}

std::optional<Decision> Exploration::run(const std::stop_token &stop) {
  variants_.log("explore_start", dump({{"candidates", space_.combinations()},
                                       {"objective", objective_.name},
                                       {"unit", objective_.unit}}));
  if (start_.so_far)
    start_.so_far->begin(space_.combinations());
  try {
    meter_.set_incumbent(incumbent_);
    Outcome outcome = explore(stop);
    for (int restarts = 0; outcome == Outcome::lags || (outcome == Outcome::workload_changed &&
                                                        restarts < limits::most_new_beginnings);
         restarts += outcome == Outcome::workload_changed) {
      if (start_.trial_store)
        start_.trial_store->start_anew();
      outcome = explore(stop);
    }
    trials_.flush();
    if (outcome == Outcome::stopped) {
      variants_.activate(start_.incumbent);
      return std::nullopt;
    }
    return decide();
  } catch (...) {
    trials_.flush();
    variants_.activate(start_.incumbent);
    throw;
  }
}

/// Runs search, race and confirmation. A nominee that loses its confirmation is removed, and
/// candidates that had lost only to it race again.
Exploration::Outcome Exploration::explore(const std::stop_token &stop) {
  decision_ = {.configuration = start_.incumbent, .estimate = {}};
  bounds_.clear();
  evidence_ = Evidence(objective_);
  meter_.regard_bounds(true);
  meter_.forget_hopeless();
  adopt(start_.incumbent); // activated again, if this is another attempt
  std::vector<Configuration> field = start_.candidates;
  if (const auto outcome = nominate(field, stop); outcome != Outcome::sure)
    return outcome;
  if (is_constant(limits::enough_to_be_constant))
    return Outcome::sure;
  leave_out_hopeless(field);
  // Races get half of the error probability and confirmations the other half; each takes half of
  // the rest. If there are bounds, these get half of the total first.
  double error = options_.error_probability / (bounds_.limits().empty() ? 2 : 4);
  const std::vector<Configuration> all = field;
  for (int attempt = 0; attempt < limits::most_confirmations;) {
    const auto race = race_of(std::move(field), error);
    if (const auto outcome = search(*race, false, stop); outcome != Outcome::sure)
      return outcome;
    if (const auto broken = race->broken_by_all())
      return take_least_bad(all, *broken, error, stop);
    if (auto again = race->to_race_again(); !again.empty()) {
      field = std::move(again);
      continue;
    }
    const Decision best = race->best();
    if (best.estimate.windows == 0 || is_constant(limits::fewest_to_be_constant))
      return Outcome::sure;
    decision_.estimate = best.estimate;
    decision_.runner_up = race->runner_up();
    const bool stays = best.configuration == start_.incumbent;
    if (stays)
      decision_.verdict = Verdict::no_gain;
    const auto outcome = stays ? watch_bounds(best.configuration, error, stop)
                               : confirm(best.configuration, error, stop);
    if (outcome != Outcome::sure || decision_.verdict != Verdict::no_gain)
      return outcome;
    // A configuration that breaks a bound has not lost a comparison, so this is no attempt.
    const bool is_out = bounds_.is_out(best.configuration);
    if (stays && !is_out)
      return Outcome::sure;
    adopt(start_.incumbent);
    field = race->without(best.configuration);
    if (field.size() <= 1 && bounds_.limits().empty())
      return Outcome::sure;
    if (!is_out) {
      ++attempt;
      error /= 2;
    }
  }
  return Outcome::sure;
}

/// In seconds of measuring.
double Exploration::longest_confirmation(std::size_t contestants, double error_probability) const {
  // A quantity that may be above a limit once in a hundred times may be so for a whole block.
  double blocks = evidence_.blocks_to_be_sure();
  for (const Limit &limit : bounds_.limits())
    blocks = std::max(blocks, limit.is_share ? 1 / limit.at : 0);
  return std::max(limits::times_as_long *
                      std::chrono::duration<double>(options_.confirm_for).count(),
                  limits::times_to_be_sure * -std::log(error_probability) * blocks *
                      std::chrono::duration<double>(limits::confirmed_block).count() *
                      static_cast<double>(contestants));
}

/// Compares the best of a race with the previously active configuration and the generic code.
Exploration::Outcome Exploration::confirm(const Configuration &nominee, double error_probability,
                                          const std::stop_token &stop) {
  adopt(nominee); // the cost of the others' samples is relative to the nominee
  std::vector<Configuration> others;
  const Configuration generic;
  if (generic != nominee && generic != start_.incumbent && space_.allows(generic))
    others.push_back(generic);
  const double shortest = std::chrono::duration<double>(options_.confirm_for).count();
  const double longest = longest_confirmation(others.size() + 2, error_probability);
  Confirmation confirmation(
      nominee, start_.incumbent, std::move(others),
      {.error_probability = error_probability,
       .tolerance = options_.tolerance,
       .fewest_seconds = shortest,
       .most_seconds = longest,
       .seed = start_.seed,
       .evidence = evidence_,
       .limits = evidence_.is_of_bound() ? std::vector<Limit>() : bounds_.limits()});
  const auto runner_up = decision_.runner_up;
  if (const auto outcome = search(confirmation, true, stop); outcome != Outcome::sure)
    return outcome;
  decision_ = confirmation.best();
  if (decision_.verdict == Verdict::better && runner_up)
    decision_.runner_up = runner_up;
  variants_.log("confirm", dump({{"text", nominee.text()},
                                 {"against", start_.incumbent.text()},
                                 {"verdict", name_of(decision_.verdict)},
                                 {"gain", decision_.gain.mean},
                                 {"low", decision_.gain.low},
                                 {"high", decision_.gain.high},
                                 {"blocks", decision_.gain.windows}}));
  return Outcome::sure;
}

/// The incumbent comes first, so that it is preferred among equals.
std::unique_ptr<Race> Exploration::race_of(std::vector<Configuration> candidates,
                                           double error_probability) const {
  candidates.insert(candidates.begin(), start_.incumbent);
  return std::make_unique<Race>(
      std::move(candidates),
      RaceOptions{error_probability, options_.tolerance, options_.most_samples, start_.seed},
      evidence_);
}

Exploration::Outcome Exploration::search(Strategy &strategy, bool in_blocks,
                                         const std::stop_token &stop) {
  moved_direction_ = 0;
  outside_in_a_row_ = 0;
  carried_over_.reset();
  scores_.clear();
  const auto lag = meter_.lag();
  const std::size_t sample_count =
      std::max<std::size_t>(guarded([&] { return strategy.sample_count(); }), 1);
  if (sample_count > 1 && !know_score(sample_count, stop))
    return Outcome::stopped;
  for (;;) {
    if (stop.stop_requested())
      return Outcome::stopped;
    const auto batch = ask(strategy, sample_count, in_blocks);
    if (!batch)
      return Outcome::sure;
    const auto trials = try_out(*batch, sample_count, in_blocks, stop);
    if (!trials)
      return Outcome::stopped;
    if (meter_.lag() != lag) {
      variants_.log("lags",
                    dump({{"seconds", std::chrono::duration<double>(meter_.lag()).count()}}));
      return Outcome::lags;
    }
    for (const Trial &trial : *trials) {
      learn(strategy, trial, in_blocks);
      if (sample_count == 1 && !trial.failed && workload_moved(trial))
        return Outcome::workload_changed;
    }
    if (is_constant(limits::enough_to_be_constant))
      return Outcome::sure;
  }
}

/// Measures the score with which trials of several samples are compared. False if stopped.
bool Exploration::know_score(std::size_t sample_count, const std::stop_token &stop) {
  const auto incumbent = meter_.measure(std::span(&incumbent_, 1), sample_count, stop);
  if (incumbent && !incumbent->front().failed)
    incumbent_score_ = incumbent->front().score;
  return incumbent.has_value();
}

bool Exploration::may_be_tried(const Configuration &configuration) const {
  return configuration == start_.incumbent || space_.allows(configuration);
}

/// Configurations to measure side by side; an empty batch if all that the strategy asked for was
/// refused. Nothing when the strategy has ended, or asks again for configurations that have been
/// measured often enough.
std::optional<Exploration::Batch> Exploration::ask(Strategy &strategy, std::size_t sample_count,
                                                   bool in_blocks) {
  Batch batch;
  while (batch.size() < meter_.most_at_once()) {
    auto next = carried_over_ ? std::exchange(carried_over_, std::nullopt)
                              : guarded([&] { return strategy.ask(); });
    if (!next)
      break;
    if (!may_be_tried(*next)) {
      refuse(strategy, *next);
      if (batch.empty())
        return batch;
      break;
    }
    if (std::ranges::find(batch, *next) != batch.end()) {
      carried_over_ = std::move(next);
      break;
    }
    std::size_t &asked_for = scores_[*next].sample_count;
    asked_for += sample_count;
    if (asked_for > std::max(options_.most_samples, sample_count) && !in_blocks) {
      variants_.log("strategy_repeats", dump({{"text", next->text()}}));
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
  if (++outside_in_a_row_ >= limits::most_outside)
    throw Error({ErrorCode::bad_strategy, configuration.text(),
                 "is outside of the space, like all that the strategy proposed lately",
                 "propose what SearchSpace::allows()"});
  guarded([&] { strategy.tell({.configuration = configuration, .failed = true}); });
}

std::optional<std::vector<Trial>> Exploration::try_out(const Batch &batch, std::size_t sample_count,
                                                       bool in_blocks,
                                                       const std::stop_token &stop) {
  std::vector<Trial> trials;
  while (start_.trial_store && trials.size() < batch.size()) {
    auto kept = start_.trial_store->recall(batch[trials.size()]);
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
    auto done = in_blocks ? meter_.measure_blocks(to_measure, limits::confirmed_block, stop)
                          : meter_.measure(to_measure, sample_count, stop);
    if (!done)
      return std::nullopt;
    measured = std::move(*done);
    for (const Trial &trial : measured)
      if (trial.failed)
        trials_.failed(trial.configuration, "the objective gave no number");
      else
        trials_.add(trial);
  }
  // Trials are saved in the order in which they were asked for; recall() expects that order.
  for (const Configuration &configuration : fresh) {
    const auto found = std::ranges::find(measured, configuration, &Trial::configuration);
    trials.push_back(found == measured.end() ? Trial{.configuration = configuration, .failed = true}
                                             : std::move(*found));
    if (start_.trial_store)
      start_.trial_store->save(trials.back());
  }
  return trials;
}

/// Waits for the final variant: an interim variant is not worth a trial. False if the configuration
/// cannot be compiled, or stopped.
bool Exploration::compile(const Configuration &configuration, const std::stop_token &stop) {
  return make_ready({{}, {configuration}}, stop) && compiles_.is_usable(configuration);
}

void Exploration::learn(Strategy &strategy, Trial trial, bool is_block) {
  const auto *race = dynamic_cast<const Race *>(&strategy);
  const bool is_ours = race || dynamic_cast<const Confirmation *>(&strategy);
  // Other strategies know nothing of bounds, so exceeding one lowers the score.
  if (const double excess = bounds_.excess_of(trial); excess > 1 && !is_ours)
    trial.score = trial.score > 0 ? trial.score / excess
                                  : trial.score - (excess - 1) * std::fabs(trial.score);
  guarded([&] { strategy.tell(trial); });
  seconds_ += trial.seconds;
  bounds_.add(trial, is_block);
  if (trial.failed)
    return;
  scores_[trial.configuration].last = trial.score;
  if (reported_++ == 0)
    first_score_ = trial.score;
  all_the_same_ = all_the_same_ && trial.score == first_score_;
  if (trial.breaks && !evidence_.is_of_bound()) {
    if (trial.configuration == incumbent_ && incumbent_ != start_.incumbent)
      adopt(start_.incumbent);
  } else if (trial.sample_count > 1) {
    adopt_if_better(trial);
  } else if (race && reported_ % limits::trials_per_look == 0) {
    const Configuration best = race->best().configuration;
    if (best != incumbent_ && race->is_ahead(best, incumbent_))
      adopt(best);
  }
}

void Exploration::adopt_if_better(const Trial &trial) {
  if (trial.configuration == incumbent_ || trial.breaks || !is_surely_better(trial))
    return;
  incumbent_score_ = trial.score;
  adopt(trial.configuration);
}

/// The error probability is divided by the number of trials, so that the luckiest of many is not
/// taken for the best.
bool Exploration::is_surely_better(const Trial &trial) const {
  const auto n = static_cast<double>(trial.sample_count);
  const double at_least =
      PairedTest(trial.score, trial.error * trial.error * n, n, n - 1)
          .at_least(options_.error_probability / static_cast<double>(options_.most_trials));
  return !trial.cut_short && bounds_.excess_of(trial) <= 1 && trial.error > 0 &&
         at_least > incumbent_score_;
}

/// Makes a configuration the incumbent: it is active between trials, and the cost of trials is
/// relative to it.
void Exploration::adopt(const Configuration &configuration) {
  incumbent_ = configuration;
  meter_.set_incumbent(incumbent_);
}

bool Exploration::is_constant(std::size_t trials) const {
  const auto of_how_many =
      std::ranges::count_if(scores_, [](const auto &each) { return each.second.last.has_value(); });
  return all_the_same_ && reported_ >= trials && of_how_many > 1;
}

/// True if samples have moved against earlier ones of the same configurations, whatever the
/// strategy tries. Then old and new samples cannot be compared, and the race must start anew.
bool Exploration::workload_moved(const Trial &trial) {
  auto &earlier = scores_[trial.configuration].earlier;
  if (earlier.size() < limits::earlier_scores) {
    earlier.push_back(trial.score);
    return false;
  }
  const double before = median(earlier);
  const double by = times_as_good(trial.score, before) - 1;
  const int direction = std::fabs(by) < limits::moved_by ? 0 : by > 0 ? 1 : -1;
  if (direction == 0 || direction != moved_direction_)
    moved_since_ = seconds_;
  moved_direction_ = direction;
  // Samples are short, and foreign load comes in bursts of several samples.
  if (seconds_ - moved_since_ < limits::moved_for_good)
    return false;
  variants_.log("change", dump({{"before", before}, {"now", trial.score}}));
  return true;
}

Decision Exploration::decide() {
  if (is_constant(limits::fewest_to_be_constant)) {
    decision_.configuration = start_.incumbent;
    decision_.verdict = Verdict::no_gain;
    variants_.log(
        "objective_constant",
        dump({{"objective", objective_.name}, {"score", first_score_}, {"trials", reported_}}));
  }
  if (decision_.estimate.windows > 0 && !evidence_.is_of_bound())
    decision_.estimate = in_unit(objective_, decision_.estimate);
  decision_.objective = objective_.name;
  decision_.unit = objective_.unit;
  account_for_bounds();
  adopt(decision_.configuration);
  // logs an event if the configuration is no longer available
  variants_.activate(decision_.configuration);
  variants_.log("decide", dump({{"configuration", Json::parse(decision_.configuration.json())},
                                {"text", decision_.configuration.text()},
                                {"mean", decision_.estimate.mean},
                                {"low", decision_.estimate.low},
                                {"high", decision_.estimate.high},
                                {"windows", decision_.estimate.windows},
                                {"verdict", name_of(decision_.verdict)},
                                {"gain", decision_.gain.mean},
                                {"gain_low", decision_.gain.low},
                                {"gain_high", decision_.gain.high},
                                {"seconds", seconds_}}));
  return decision_;
}

} // namespace sartor
