// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/measure/window_meter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>

#include <sartor/error.hpp>

#include "tuner/evidence/interval.h"
#include "tuner/limits.h"
#include "tuner/objective/window.h"

namespace sartor {

namespace {

std::chrono::nanoseconds nanoseconds_of(const Reading &reading) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(reading.seconds));
}

std::span<const Bound> bounds_of(const Objective *objective) {
  return objective ? std::span<const Bound>(objective->bounds) : std::span<const Bound>();
}

Sample sample_of(const Reading &reading) {
  return {reading.value, reading.weight, reading.requests, reading.quantities};
}

/// What samples came to, quantity by quantity.
std::vector<QuantityReading> quantities_of(std::span<const Sample> samples) {
  std::vector<QuantityReading> together;
  for (const Sample &sample : samples) {
    together.resize(std::max(together.size(), sample.quantities.size()));
    for (std::size_t i = 0; i < sample.quantities.size(); ++i)
      together[i] = merged(together[i], sample.quantities[i]);
  }
  return together;
}

} // namespace

WindowMeter::WindowMeter(MeasuredProgram &program, const Options &options)
    : program_(program), options_(options),
      evidence_(options.objective ? Evidence(*options.objective) : Evidence()),
      guardrail_(bounds_of(options.objective), limits::guarded_share * options.error_probability),
      budget_(options.regression_budget < 1 ? limits::spent_share * options.regression_budget : 1),
      random_(options.seed), lag_(options.settle) {}

void WindowMeter::Level::add(double score) {
  latest_.push_back(score);
  if (latest_.size() > most_)
    latest_.pop_front();
}

double WindowMeter::Level::mean() const {
  if (latest_.empty())
    return 0;
  // No score doubles, and no cost halves, for the time of a slice only; but an objective may jump.
  const double middle = median({latest_.begin(), latest_.end()});
  const double most = better_by(std::numbers::ln2, middle);
  double sum = 0;
  for (const double score : latest_)
    sum += most != 0 ? std::min(score, most) : score;
  return sum / static_cast<double>(latest_.size());
}

double WindowMeter::Level::usual() const {
  return latest_.empty() ? 0 : median({latest_.begin(), latest_.end()});
}

double WindowMeter::Level::noise() const {
  if (latest_.empty())
    return 0;
  std::vector<double> logs;
  const double middle = median({latest_.begin(), latest_.end()});
  for (const double score : latest_)
    logs.push_back(advantage(score, middle));
  return robust_deviation(logs);
}

void WindowMeter::set_incumbent(const Configuration &configuration) {
  if (configuration != incumbent_)
    rested_ = Level(limits::most_rests);
  incumbent_ = configuration;
  put_in_force(incumbent_);
}

void WindowMeter::put_in_force(const Configuration &configuration) {
  if (in_force_ == configuration)
    return;
  before_ = std::exchange(in_force_, std::nullopt); // should the program throw
  program_.put_in_force(configuration);
  in_force_ = configuration;
  in_force_for_ = {};
}

std::optional<std::vector<Trial>>
WindowMeter::measure(std::span<const Configuration> configurations, std::size_t slices,
                     const std::stop_token &stop) {
  return measure_each(configurations, stop, [&](const Configuration &configuration) {
    return slices <= 1 ? measure_one(configuration, {}, true, stop)
                       : measure_paired(configuration, slices, stop);
  });
}

std::optional<std::vector<Trial>>
WindowMeter::measure_blocks(std::span<const Configuration> configurations,
                            std::chrono::nanoseconds block, const std::stop_token &stop) {
  return measure_each(configurations, stop, [&](const Configuration &configuration) {
    return measure_block(configuration, block, stop);
  });
}

template <class Measure>
std::optional<std::vector<Trial>>
WindowMeter::measure_each(std::span<const Configuration> configurations,
                          const std::stop_token &stop, const Measure &measure) {
  std::vector<Trial> trials;
  for (const Configuration &configuration : configurations) {
    if (!know_incumbent(stop))
      return std::nullopt;
    auto trial = measure(configuration);
    if (!trial)
      return std::nullopt;
    trials.push_back(std::move(*trial));
  }
  return trials;
}

bool WindowMeter::wait_for(const std::function<bool()> &done, const std::stop_token &stop) {
  if (!know_incumbent(stop))
    return false;
  put_in_force(incumbent_);
  while (!done()) {
    const auto reading = program_.read_slice({}, 0, stop);
    if (!reading)
      return false;
    spend(*reading);
  }
  std::vector<Sample> samples;
  return pay(samples, stop);
}

/// It breaks a bound, and there is something else to be in force.
bool WindowMeter::is_out(const Configuration &configuration) const {
  return regards_bounds_ && configuration != incumbent_ &&
         guardrail_.broken_by(configuration).has_value();
}

/// One slice; its score may be no number.
std::optional<Reading> WindowMeter::slice(const Configuration &configuration,
                                          std::chrono::nanoseconds at_least, bool may_be_cut,
                                          const std::stop_token &stop) {
  put_in_force(configuration);
  const bool is_incumbent = configuration == incumbent_;
  settled_ = is_incumbent;
  const Level &usual = levels_[incumbent_];
  const bool is_whole = !may_be_cut || is_incumbent || usual.size() < limits::slices_to_know;
  const bool is_guarded = guardrail_.has_bounds() && regards_bounds_ && !is_incumbent;
  if (is_guarded)
    program_.set_guard([&](std::span<const BoundReading> so_far) {
      return guardrail_.is_broken_by(configuration, so_far);
    });
  const auto reading =
      program_.read_slice(at_least, is_whole ? 0 : limits::hopeless_share * usual.mean(), stop);
  if (is_guarded)
    program_.set_guard({});
  if (!reading)
    return std::nullopt;
  spend(*reading);
  guardrail_.add(configuration, reading->bounds);
  if (is_out(configuration))
    put_in_force(incumbent_);
  if (std::isfinite(reading->value))
    levels_[configuration].add(reading->value);
  if (is_incumbent)
    check_number(reading->value);
  return reading;
}

/// A gauge gives a number whatever the load; without one of the incumbent, nothing can be compared.
void WindowMeter::check_number(double value) {
  const Objective *objective = options_.objective;
  if (!objective || objective->kind != Objective::Kind::gauge || std::isfinite(value))
    without_number_ = 0;
  else if (++without_number_ == limits::most_without_number)
    throw Error({ErrorCode::bad_objective, objective->name,
                 "has given no finite number in " + std::to_string(without_number_) +
                     " slices of the active configuration, one after the other",
                 "give Objective::value_of() a function that returns a finite number"});
}

void WindowMeter::spend(const Reading &reading) {
  in_force_for_ += nanoseconds_of(reading);
  const double usual = rested_.usual();
  if (usual != 0)
    budget_.spend(reading.seconds,
                  std::isfinite(reading.average) ? times_as_good(reading.average, usual) : 0);
  else // nothing to compare with
    budget_.spend(reading.seconds, 1);
}

bool WindowMeter::know_incumbent(const std::stop_token &stop) {
  for (std::size_t i = 0; i < limits::fewest_rests && rested_.size() < limits::fewest_rests; ++i)
    if (!rest(limits::shortest_rest, stop))
      return false;
  for (std::size_t i = 0;
       i < limits::slices_to_know && levels_[incumbent_].size() < limits::slices_to_know; ++i)
    if (!slice(incumbent_, {}, true, stop))
      return false;
  return true;
}

/// Rests, which are added to `samples`, until exploring has cost no more than it may. False if
/// stopped.
bool WindowMeter::pay(std::vector<Sample> &samples, const std::stop_token &stop) {
  while (budget_.exceeded()) {
    const std::chrono::duration<double> due(budget_.due());
    auto sample =
        rest(due < limits::longest_rest ? std::chrono::duration_cast<std::chrono::nanoseconds>(due)
                                        : limits::longest_rest,
             stop);
    if (!sample)
      return false;
    samples.push_back(std::move(*sample));
  }
  return true;
}

/// Its score may be no number.
std::optional<Sample> WindowMeter::rest(std::chrono::nanoseconds long_enough,
                                        const std::stop_token &stop) {
  put_in_force(incumbent_);
  const auto reading = program_.rest(std::max(long_enough, limits::shortest_rest), stop);
  if (!reading)
    return std::nullopt;
  // Calls of a candidate's that had not ended yet have cost something. Rests after one that was as
  // usual are as they are: with a foreign load that comes and goes no debt could ever be paid.
  const double usual = rested_.usual();
  const double share = usual != 0 ? times_as_good(reading->average, usual) : 1;
  settled_ = settled_ || !(share < limits::hopeless_share);
  in_force_for_ += nanoseconds_of(*reading);
  budget_.spend(reading->seconds, settled_ ? 1 : share);
  if (std::isfinite(reading->average))
    rested_.add(reading->average);
  guardrail_.add(incumbent_, reading->bounds);
  return sample_of(*reading);
}

bool WindowMeter::measure_incumbent(std::vector<Sample> &samples, const std::stop_token &stop) {
  const auto reading = slice(incumbent_, {}, true, stop);
  if (reading)
    samples.push_back(sample_of(*reading));
  return reading.has_value();
}

std::optional<Trial> WindowMeter::measure_one(const Configuration &configuration,
                                              std::chrono::nanoseconds at_least, bool may_be_cut,
                                              const std::stop_token &stop) {
  if (!settle(configuration, stop))
    return std::nullopt;
  const auto reading = slice(configuration, at_least, may_be_cut, stop);
  return reading ? finish(configuration, *reading, stop) : std::nullopt;
}

/// The trial that a reading makes, when what it has cost is paid for.
std::optional<Trial> WindowMeter::finish(const Configuration &configuration, const Reading &reading,
                                         const std::stop_token &stop) {
  std::vector<Sample> samples;
  if (!pay(samples, stop))
    return std::nullopt;
  if (const double usual = levels_[incumbent_].mean();
      usual != 0 && !(times_as_good(reading.value, usual) >= limits::harmless_share))
    put_in_force(incumbent_);
  Trial trial{.configuration = configuration,
              .score = reading.value,
              .failed = !std::isfinite(reading.value) || !(reading.weight > 0),
              .weight = reading.weight,
              .seconds = reading.seconds,
              .requests = reading.requests,
              .quantities = reading.quantities,
              .bounds = reading.bounds,
              .breaks = guardrail_.broken_by(configuration)};
  trial.cut_short = is_out(configuration);
  if (!evidence_.is_of_means() && !trial.failed) {
    const std::array<Sample, 1> alone{sample_of(reading)};
    trial.score = evidence_.mean_of(alone);
  }
  return trial;
}

/// The first part is read by itself: whether it is like what was in force before.
std::optional<Trial> WindowMeter::measure_block(const Configuration &configuration,
                                                std::chrono::nanoseconds block,
                                                const std::stop_token &stop) {
  put_in_force(configuration);
  const bool is_new = in_force_for_ == in_force_for_.zero() && before_;
  const double before = is_new ? levels_[*before_].mean() : 0;
  if (!settle(configuration, stop))
    return std::nullopt;
  const Level &usual = levels_[configuration], &best = levels_[incumbent_];
  const bool is_dear = usual.size() >= limits::slices_to_know &&
                       best.size() >= limits::slices_to_know &&
                       times_as_good(usual.mean(), best.mean()) < limits::hopeless_share;
  const double known = usual.size() >= limits::slices_to_know ? usual.mean() : 0;
  const auto first = slice(configuration, block / limits::parts_of_block, false, stop);
  if (!first)
    return std::nullopt;
  // What this block has shown must not say how long it lasts; what others have, may; and a bound.
  if (is_dear || is_out(configuration))
    return finish(configuration, *first, stop);
  if (!settle(configuration, stop))
    return std::nullopt;
  const auto rest = slice(configuration, block - block / limits::parts_of_block, false, stop);
  if (!rest)
    return std::nullopt;
  if (!(first->weight > 0) || !std::isfinite(first->value) || !(rest->weight > 0) ||
      !std::isfinite(rest->value))
    return finish(configuration, *rest, stop);
  lag_.add({.before = before, .usual = known, .first = first->value, .rest = rest->value});
  return finish(configuration, merged(*first, *rest), stop);
}

/// Puts a configuration in force and waits until the objective says nothing of the one before.
bool WindowMeter::settle(const Configuration &configuration, const std::stop_token &stop) {
  put_in_force(configuration);
  const auto left = lag_.head() - in_force_for_;
  if (left <= left.zero())
    return true;
  const auto reading = program_.read_slice(left, 0, stop);
  if (reading)
    spend(*reading);
  return reading.has_value();
}

std::optional<Trial> WindowMeter::measure_paired(const Configuration &configuration,
                                                 std::size_t slices, const std::stop_token &stop) {
  Trial trial{.configuration = configuration, .slices = 0};
  std::vector<double> advantages;
  std::vector<Sample> ours, theirs;
  while (trial.slices < slices && !trial.cut_short) {
    const bool candidate_first = (random_() & 1) != 0;
    std::vector<Sample> paired;
    if (!candidate_first && !measure_incumbent(paired, stop))
      return std::nullopt;
    const auto reading = slice(configuration, {}, true, stop);
    if (!reading || !pay(paired, stop) || (paired.empty() && !measure_incumbent(paired, stop)))
      return std::nullopt;
    ++trial.slices;
    trial.seconds += reading->seconds;
    trial.bounds = trial.bounds.empty() ? reading->bounds : merged(trial.bounds, reading->bounds);
    std::erase_if(paired, [](const Sample &each) { return !std::isfinite(each.score); });
    trial.failed = !std::isfinite(reading->value);
    if (trial.failed)
      break;
    if (!paired.empty()) {
      std::vector<double> scores;
      for (const Sample &sample : paired)
        scores.push_back(sample.score);
      advantages.push_back(advantage(reading->value, median(std::move(scores))));
      ours.push_back(sample_of(*reading));
      theirs.push_back(
          {.score = 0, .requests = together(paired), .quantities = quantities_of(paired)});
    }
    trial.breaks = guardrail_.broken_by(configuration);
    trial.cut_short = is_out(configuration) || (trial.slices < slices && surely_worse(advantages));
  }
  put_in_force(incumbent_);
  trial.failed = trial.failed || advantages.empty();
  if (!trial.failed)
    score_paired(trial, advantages, ours, theirs);
  return trial;
}

/// Against the incumbent's, on the scale of what the first incumbent was.
void WindowMeter::score_paired(Trial &trial, const std::vector<double> &advantages,
                               std::span<const Sample> ours, std::span<const Sample> theirs) {
  const auto count = static_cast<double>(advantages.size());
  const double level =
      evidence_.is_of_means() ? levels_[incumbent_].mean() : evidence_.mean_of(theirs);
  const double reference = scale_.try_emplace(incumbent_, level).first->second;
  if (scale_.size() == 1)
    first_ = reference;
  trial.reference = first_;
  if (!evidence_.is_of_means()) {
    const Total our_total = evidence_.total_of(ours), their_total = evidence_.total_of(theirs);
    const Gain gain = gain_of(our_total, their_total);
    trial.requests = together(ours);
    trial.quantities = quantities_of(ours);
    trial.score = reference * our_total.mean / std::max(their_total.mean, 1e-300);
    trial.error = std::sqrt(gain.variance * gain.correlation / count) * reference;
  } else {
    const RobustMean mean = robust_mean(advantages, pair_noise());
    trial.score = better_by(mean.mean, reference);
    trial.error = std::sqrt(mean.variance / count) * std::fabs(trial.score);
  }
  if (trial.configuration != incumbent_)
    scale_[trial.configuration] = trial.score;
}

/// The deviation of the comparison of two slices.
double WindowMeter::pair_noise() const { return std::sqrt(2.0) * levels_.at(incumbent_).noise(); }

bool WindowMeter::surely_worse(const std::vector<double> &advantages) const {
  // These are of means, and a percentile is none.
  if (advantages.size() < 2 || evidence_.has_percentile())
    return false;
  const auto [mean, radius] = always_valid_mean(advantages, options_.error_probability);
  return mean + radius < 0;
}

} // namespace sartor
