// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/measure/window_meter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>

#include <sartor/error.hpp>

#include "tuner/evidence/interval.h"
#include "tuner/evidence/paired_test.h"
#include "tuner/limits.h"
#include "tuner/objective/window.h"

namespace sartor {

namespace {

std::chrono::nanoseconds nanoseconds_of(const ObjectiveSample &measured) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(measured.seconds));
}

std::span<const Bound> bounds_of(const Objective *objective) {
  return objective ? std::span<const Bound>(objective->bounds) : std::span<const Bound>();
}

Sample sample_of(const ObjectiveSample &measured) {
  return {measured.value, measured.weight, measured.requests, measured.quantities};
}

/// Sums of samples, quantity by quantity.
std::vector<QuantitySample> quantities_of(std::span<const Sample> samples) {
  std::vector<QuantitySample> together;
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
  // A score does not double, and a cost does not halve, for the time of a sample only; but an
  // objective may jump.
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

double WindowMeter::Level::variance() const {
  const double middle = median({latest_.begin(), latest_.end()});
  double squares = 0;
  for (const double score : latest_)
    squares += advantage(score, middle) * advantage(score, middle);
  return squares / static_cast<double>(latest_.size() - 1);
}

void WindowMeter::set_incumbent(const Configuration &configuration) {
  if (configuration != incumbent_)
    rested_ = Level(limits::most_rests);
  incumbent_ = configuration;
  activate(incumbent_);
}

void WindowMeter::activate(const Configuration &configuration) {
  if (active_ == configuration)
    return;
  before_ = std::exchange(active_, std::nullopt); // in case the program throws
  program_.activate(configuration);
  active_ = configuration;
  active_for_ = {};
}

std::optional<std::vector<Trial>>
WindowMeter::measure(std::span<const Configuration> configurations, std::size_t sample_count,
                     const std::stop_token &stop) {
  return measure_each(configurations, stop, [&](const Configuration &configuration) {
    return sample_count <= 1 ? measure_one(configuration, {}, true, stop)
                             : measure_paired(configuration, sample_count, stop);
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
  activate(incumbent_);
  while (!done()) {
    const auto measured = program_.read_sample({}, 0, stop);
    if (!measured)
      return false;
    spend(*measured);
  }
  std::vector<Sample> samples;
  return pay(samples, stop);
}

/// True if the configuration breaks a bound and another one can be active instead.
bool WindowMeter::is_out(const Configuration &configuration) const {
  return regards_bounds_ && configuration != incumbent_ &&
         guardrail_.broken_by(configuration).has_value();
}

/// Takes one sample; its score may be NaN.
std::optional<ObjectiveSample> WindowMeter::sample(const Configuration &configuration,
                                                   std::chrono::nanoseconds at_least,
                                                   bool may_be_cut, const std::stop_token &stop) {
  activate(configuration);
  const bool is_incumbent = configuration == incumbent_;
  settled_ = is_incumbent;
  const Level &usual = levels_[incumbent_];
  const bool is_whole = !may_be_cut || is_incumbent || usual.size() < limits::samples_to_know;
  const bool is_guarded = guardrail_.has_bounds() && regards_bounds_ && !is_incumbent;
  if (is_guarded)
    program_.set_guard([&](std::span<const BoundSample> so_far) {
      return guardrail_.is_broken_by(configuration, so_far);
    });
  const auto measured =
      program_.read_sample(at_least, is_whole ? 0 : limits::hopeless_share * usual.mean(), stop);
  if (is_guarded)
    program_.set_guard({});
  if (!measured)
    return std::nullopt;
  spend(*measured);
  guardrail_.add(configuration, measured->bounds);
  if (is_out(configuration))
    activate(incumbent_);
  if (std::isfinite(measured->value))
    levels_[configuration].add(measured->value);
  if (is_incumbent)
    check_number(measured->value);
  return measured;
}

/// A gauge must return a number under any load. Without one for the incumbent, nothing can be
/// compared.
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

void WindowMeter::spend(const ObjectiveSample &measured) {
  active_for_ += nanoseconds_of(measured);
  const double usual = rested_.usual();
  if (usual != 0)
    budget_.spend(measured.seconds,
                  std::isfinite(measured.average) ? times_as_good(measured.average, usual) : 0);
  else // nothing to compare with
    budget_.spend(measured.seconds, 1);
}

bool WindowMeter::know_incumbent(const std::stop_token &stop) {
  for (std::size_t i = 0; i < limits::fewest_rests && rested_.size() < limits::fewest_rests; ++i)
    if (!rest(limits::shortest_rest, stop))
      return false;
  for (std::size_t i = 0;
       i < limits::samples_to_know && levels_[incumbent_].size() < limits::samples_to_know; ++i)
    if (!sample(incumbent_, {}, true, stop))
      return false;
  return true;
}

/// Adds rests to `samples` until the cost of exploring is within the budget. False if stopped.
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

/// The score may be NaN.
std::optional<Sample> WindowMeter::rest(std::chrono::nanoseconds long_enough,
                                        const std::stop_token &stop) {
  activate(incumbent_);
  const auto measured = program_.rest(std::max(long_enough, limits::shortest_rest), stop);
  if (!measured)
    return std::nullopt;
  // Calls of a candidate that had not ended yet have a cost. After a rest with the usual score,
  // later rests are charged without loss: otherwise no debt could ever be paid under a varying
  // foreign load.
  const double usual = rested_.usual();
  const double share = usual != 0 ? times_as_good(measured->average, usual) : 1;
  settled_ = settled_ || !(share < limits::hopeless_share);
  active_for_ += nanoseconds_of(*measured);
  budget_.spend(measured->seconds, settled_ ? 1 : share);
  if (std::isfinite(measured->average))
    rested_.add(measured->average);
  guardrail_.add(incumbent_, measured->bounds);
  return sample_of(*measured);
}

bool WindowMeter::measure_incumbent(std::vector<Sample> &samples, const std::stop_token &stop) {
  const auto measured = sample(incumbent_, {}, true, stop);
  if (measured)
    samples.push_back(sample_of(*measured));
  return measured.has_value();
}

std::optional<Trial> WindowMeter::measure_one(const Configuration &configuration,
                                              std::chrono::nanoseconds at_least, bool may_be_cut,
                                              const std::stop_token &stop) {
  if (!settle(configuration, stop))
    return std::nullopt;
  const auto measured = sample(configuration, at_least, may_be_cut, stop);
  return measured ? finish(configuration, *measured, stop) : std::nullopt;
}

/// Makes a trial of a sample after paying for its cost.
std::optional<Trial> WindowMeter::finish(const Configuration &configuration,
                                         const ObjectiveSample &measured,
                                         const std::stop_token &stop) {
  std::vector<Sample> samples;
  if (!pay(samples, stop))
    return std::nullopt;
  if (const double usual = levels_[incumbent_].mean();
      usual != 0 && !(times_as_good(measured.value, usual) >= limits::harmless_share))
    activate(incumbent_);
  Trial trial{.configuration = configuration,
              .score = measured.value,
              .failed = !std::isfinite(measured.value) || !(measured.weight > 0),
              .weight = measured.weight,
              .seconds = measured.seconds,
              .requests = measured.requests,
              .quantities = measured.quantities,
              .bounds = measured.bounds,
              .breaks = guardrail_.broken_by(configuration)};
  trial.cut_short = is_out(configuration);
  if (!evidence_.is_of_means() && !trial.failed) {
    const std::array<Sample, 1> alone{sample_of(measured)};
    trial.score = evidence_.mean_of(alone);
  }
  return trial;
}

/// The first part is sampled separately, to see whether it is like the previous configuration.
std::optional<Trial> WindowMeter::measure_block(const Configuration &configuration,
                                                std::chrono::nanoseconds block,
                                                const std::stop_token &stop) {
  activate(configuration);
  const bool is_new = active_for_ == active_for_.zero() && before_;
  const double before = is_new ? levels_[*before_].mean() : 0;
  if (!settle(configuration, stop))
    return std::nullopt;
  const Level &usual = levels_[configuration], &best = levels_[incumbent_];
  const bool is_dear = usual.size() >= limits::samples_to_know &&
                       best.size() >= limits::samples_to_know &&
                       times_as_good(usual.mean(), best.mean()) < limits::hopeless_share;
  const double known = usual.size() >= limits::samples_to_know ? usual.mean() : 0;
  const auto first = sample(configuration, block / limits::parts_of_block, false, stop);
  if (!first)
    return std::nullopt;
  // The duration of a block must not depend on its own result; it may depend on earlier blocks and
  // on bounds.
  if (is_dear || is_out(configuration))
    return finish(configuration, *first, stop);
  if (!settle(configuration, stop))
    return std::nullopt;
  const auto rest = sample(configuration, block - block / limits::parts_of_block, false, stop);
  if (!rest)
    return std::nullopt;
  if (!(first->weight > 0) || !std::isfinite(first->value) || !(rest->weight > 0) ||
      !std::isfinite(rest->value))
    return finish(configuration, *rest, stop);
  lag_.add({.before = before, .usual = known, .first = first->value, .rest = rest->value});
  return finish(configuration, merged(*first, *rest), stop);
}

/// Activates a configuration and waits until the previous one no longer affects the objective.
bool WindowMeter::settle(const Configuration &configuration, const std::stop_token &stop) {
  activate(configuration);
  const auto left = lag_.head() - active_for_;
  if (left <= left.zero())
    return true;
  const auto measured = program_.read_sample(left, 0, stop);
  if (measured)
    spend(*measured);
  return measured.has_value();
}

std::optional<Trial> WindowMeter::measure_paired(const Configuration &configuration,
                                                 std::size_t sample_count,
                                                 const std::stop_token &stop) {
  Trial trial{.configuration = configuration, .sample_count = 0};
  std::vector<double> advantages;
  std::vector<Sample> ours, theirs;
  bool is_hopeless = false;
  while (trial.sample_count < sample_count && !trial.cut_short) {
    const bool candidate_first = (random_() & 1) != 0;
    std::vector<Sample> paired;
    if (!candidate_first && !measure_incumbent(paired, stop))
      return std::nullopt;
    const auto measured = sample(configuration, {}, true, stop);
    if (!measured || !pay(paired, stop) || (paired.empty() && !measure_incumbent(paired, stop)))
      return std::nullopt;
    ++trial.sample_count;
    trial.seconds += measured->seconds;
    trial.bounds = trial.bounds.empty() ? measured->bounds : merged(trial.bounds, measured->bounds);
    std::erase_if(paired, [](const Sample &each) { return !std::isfinite(each.score); });
    trial.failed = !std::isfinite(measured->value);
    if (trial.failed)
      break;
    if (!paired.empty()) {
      std::vector<double> scores;
      for (const Sample &sample : paired)
        scores.push_back(sample.score);
      advantages.push_back(advantage(measured->value, median(std::move(scores))));
      ours.push_back(sample_of(*measured));
      theirs.push_back(
          {.score = 0, .requests = together(paired), .quantities = quantities_of(paired)});
    }
    trial.breaks = guardrail_.broken_by(configuration);
    is_hopeless = surely_hopeless(advantages);
    trial.cut_short = is_out(configuration) || (trial.sample_count < sample_count &&
                                                (is_hopeless || surely_worse(advantages)));
  }
  activate(incumbent_);
  trial.failed = trial.failed || advantages.empty();
  if (!trial.failed)
    score_paired(trial, advantages, ours, theirs);
  if (!trial.failed && is_hopeless)
    hopeless_[configuration] = trial.score;
  return trial;
}

/// Scores are relative to the incumbent, on the scale of the first incumbent.
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
    trial.requests = together(ours);
    trial.quantities = quantities_of(ours);
    trial.score = reference * our_total.mean / std::max(their_total.mean, 1e-300);
    trial.error = PairedTest(our_total, their_total).standard_error() * reference;
  } else {
    const RobustMean mean = robust_mean(advantages, pair_noise());
    trial.score = better_by(mean.mean, reference);
    trial.error = std::sqrt(mean.variance / count) * std::fabs(trial.score);
  }
  if (trial.configuration != incumbent_)
    scale_[trial.configuration] = trial.score;
}

/// Standard deviation of the comparison of two samples.
double WindowMeter::pair_noise() const { return std::sqrt(2.0) * levels_.at(incumbent_).noise(); }

bool WindowMeter::surely_worse(const std::vector<double> &advantages) const {
  // Advantages compare means, and a percentile is none.
  if (advantages.size() < 2 || evidence_.has_percentile())
    return false;
  return always_valid_mean(advantages).at_most(options_.error_probability) < 0;
}

std::optional<double> WindowMeter::hopeless_score(const Configuration &configuration) const {
  const auto found = hopeless_.find(configuration);
  return found == hopeless_.end() ? std::nullopt : std::optional(found->second);
}

/// Samples of a candidate that is several times slower cost the program the most, so two are enough
/// if they are far apart from the incumbent's. Their variance is taken to be at least the
/// incumbent's, outliers included.
bool WindowMeter::surely_hopeless(const std::vector<double> &advantages) const {
  const Level &usual = levels_.at(incumbent_);
  if (advantages.size() < 2 || usual.size() < limits::samples_to_know || evidence_.has_percentile())
    return false;
  const auto n = static_cast<double>(advantages.size());
  const double mean = std::accumulate(advantages.begin(), advantages.end(), 0.0) / n;
  double squares = 0;
  for (const double each : advantages)
    squares += (each - mean) * (each - mean);
  return PairedTest(mean, squares / (n - 1), n, n - 1)
             .at_most(options_.error_probability * limits::error_of_hopeless,
                      {.least_deviation = limits::least_noise,
                       .variance = 2 * usual.variance(),
                       .freedom = static_cast<double>(usual.size() - 1)}) <
         std::log(limits::hopeless_share);
}

} // namespace sartor
