// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/search/race.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "tuner/evidence/paired_test.h"
#include "tuner/limits.h"

namespace sartor {

namespace {

constexpr KnownNoise known_noise{.likely = limits::likely_difference,
                                 .least_deviation = limits::least_noise};

} // namespace

Race::Race(std::vector<Configuration> candidates, const RaceOptions &options,
           const Evidence &evidence)
    : options_(options), evidence_(evidence), random_(options.seed) {
  for (Configuration &candidate : candidates)
    if (std::ranges::find(runners_, candidate, &Runner::configuration) == runners_.end())
      runners_.push_back({.configuration = std::move(candidate)});
  for (std::size_t i = 0; i < runners_.size(); ++i)
    racing_.push_back(i);
  // A union bound over the pairs that contain the best; only one side of each interval counts.
  const auto pairs = static_cast<double>(std::max<std::size_t>(runners_.size(), 2) - 1);
  pair_error_ = std::min(2 * options.error_probability / pairs, 1.0);
  round_.start(racing_, random_);
}

std::optional<Configuration> Race::ask() {
  const auto runner = round_.ask();
  return runner ? std::optional(runners_[*runner].configuration) : std::nullopt;
}

void Race::tell(const Trial &trial) {
  const auto runner = round_.take(
      [&](std::size_t asked) { return runners_[asked].configuration == trial.configuration; });
  if (!runner)
    return;
  if (trial.failed || !std::isfinite(trial.score)) {
    std::erase(racing_, *runner);
    runners_[*runner].failed = true;
  } else {
    runners_[*runner].samples.push_back(evidence_.sample_of(trial));
    if (trial.breaks && !evidence_.is_of_bound()) {
      runners_[*runner].breaks = trial.breaks;
      std::erase(racing_, *runner);
    }
  }
  if (round_.is_over())
    end_round();
}

void Race::end_round() {
  ++rounds_;
  if (is_over())
    return;
  if (looks_.is_due(rounds_) && racing_.size() > 1)
    drop_not_better(leader());
  if (!is_over())
    round_.start(racing_, random_);
}

/// A runner that is left because all others break a bound may still turn out to break it as well.
bool Race::is_over() const {
  if (racing_.empty() || rounds_ >= options_.most_samples)
    return true;
  if (racing_.size() > 1)
    return false;
  return rounds_ >= limits::rounds_if_near ||
         std::ranges::none_of(runners_,
                              [](const Runner &runner) { return runner.breaks.has_value(); });
}

/// The leader; of equals the first. Requires that `racing_` is not empty.
std::size_t Race::leader() const {
  return *std::ranges::max_element(
      racing_, {}, [&](std::size_t runner) { return evidence_.mean_of(runners_[runner].samples); });
}

void Race::drop_not_better(std::size_t leader) {
  struct Pair {
    std::size_t runner;
    PairedTest test; ///< The runner against the leader.
  };
  const Total ahead = evidence_.total_of(runners_[leader].samples);
  if (ahead.influences.empty())
    return;
  std::vector<Pair> pairs;
  KnownNoise known = known_noise;
  known.correlation = 0;
  for (const std::size_t runner : racing_) {
    if (runner == leader)
      continue;
    const Total behind = evidence_.total_of(runners_[runner].samples);
    if (behind.influences.empty())
      continue;
    pairs.push_back({runner, PairedTest(behind, ahead)});
    known.variance += pairs.back().test.variance_by_ours();
    known.correlation += pairs.back().test.correlation();
  }
  if (pairs.empty())
    return;
  const auto n = static_cast<double>(rounds_);
  const auto count = static_cast<double>(pairs.size());
  known.variance /= count;
  known.correlation /= count;
  // All pairs have the leader's noise in common: their squares are correlated by a quarter.
  if (count > 1)
    known.freedom = std::min((n - 1) * count / (1 + (count - 1) / 4), limits::common_freedom);
  for (const Pair &pair : pairs) {
    const double at_most = pair.test.at_most(pair_error_, known) + runners_[pair.runner].burden;
    // Without a tolerance, equals race until the samples run out.
    if (at_most >= options_.tolerance ||
        (at_most > -limits::near && rounds_ < limits::rounds_if_near))
      continue;
    std::erase(racing_, pair.runner);
    runners_[pair.runner].dropped_for = leader;
    runners_[pair.runner].is_beaten = at_most < 0;
    runners_[leader].burden = std::max(runners_[leader].burden, at_most);
  }
}

Decision Race::best() const {
  if (racing_.empty())
    return {};
  // In an incomplete round, some runners have one sample more.
  const Runner &best = runners_[leader()];
  if (best.samples.empty())
    return {};
  const auto [mean, radius] = evidence_.interval_of(best.samples, options_.error_probability);
  const auto [low, high] = std::ranges::minmax(best.samples, {}, &Sample::score);
  const bool is_known = std::isfinite(radius);
  return {best.configuration, Estimate{.mean = mean,
                                       .low = is_known ? mean - radius : low.score,
                                       .high = is_known ? mean + radius : high.score,
                                       .windows = best.samples.size()}};
}

bool Race::is_ahead(const Configuration &one, const Configuration &other) const {
  const auto of = [&](const Configuration &which) {
    return std::ranges::find(runners_, which, &Runner::configuration);
  };
  const auto ours = of(one), theirs = of(other);
  if (ours == runners_.end() || theirs == runners_.end())
    return false;
  const std::size_t count = std::min({ours->samples.size(), theirs->samples.size(), rounds_});
  return PairedTest(evidence_.total_of(std::span(ours->samples).first(count)),
                    evidence_.total_of(std::span(theirs->samples).first(count)))
             .at_least(pair_error_, known_noise) > 0;
}

std::optional<std::size_t> Race::broken_by_all() const {
  std::optional<std::size_t> broken;
  for (const Runner &runner : runners_) {
    if (runner.failed)
      continue;
    if (!runner.breaks)
      return std::nullopt;
    broken = broken ? broken : runner.breaks;
  }
  return broken;
}

std::optional<Configuration> Race::best_ahead_of(const Configuration &one) const {
  const auto found = std::ranges::find(runners_, one, &Runner::configuration);
  if (found != runners_.end() && found->is_beaten && !racing_.empty())
    return runners_[leader()].configuration;
  const Runner *best = nullptr;
  for (const Runner &runner : runners_)
    if (!runner.failed && !runner.breaks && is_ahead(runner.configuration, one) &&
        (!best || evidence_.mean_of(runner.samples) > evidence_.mean_of(best->samples)))
      best = &runner;
  return best ? std::optional(best->configuration) : std::nullopt;
}

std::optional<Configuration> Race::runner_up() const {
  if (racing_.empty())
    return std::nullopt;
  const std::size_t first = leader();
  const Runner *second = nullptr;
  for (const Runner &runner : runners_) {
    if (&runner == &runners_[first] || runner.failed || runner.breaks || runner.samples.empty())
      continue;
    // A runner that has stayed for longer is better known, so it ranks first.
    const auto rank = [&](const Runner &of) {
      return std::pair(of.samples.size(), evidence_.mean_of(of.samples));
    };
    if (!second || rank(runner) > rank(*second))
      second = &runner;
  }
  return second ? std::optional(second->configuration) : std::nullopt;
}

/// Follows the chain of runners for which `runner` was dropped; true if `is_it` holds for one of
/// them.
template <class IsIt> bool Race::was_dropped_for(const Runner &runner, IsIt is_it) const {
  for (auto by = runner.dropped_for; by; by = runners_[*by].dropped_for)
    if (is_it(runners_[*by]))
      return true;
  return false;
}

std::vector<Configuration> Race::without(const Configuration &beaten) const {
  std::vector<bool> is_back(runners_.size());
  for (const std::size_t runner : racing_)
    is_back[runner] = true;
  // A runner that was dropped for `beaten`, directly or through others, comes back.
  const auto is_beaten = [&](const Runner &by) { return by.configuration == beaten; };
  std::vector<Configuration> left;
  for (std::size_t i = 0; i < runners_.size(); ++i)
    if (!runners_[i].failed && !runners_[i].breaks && runners_[i].configuration != beaten &&
        (is_back[i] || was_dropped_for(runners_[i], is_beaten)))
      left.push_back(runners_[i].configuration);
  return left;
}

std::vector<Configuration> Race::to_race_again() const {
  std::vector<Configuration> again;
  for (const Runner &runner : runners_)
    if (!runner.failed && !runner.breaks &&
        was_dropped_for(runner, [](const Runner &by) { return by.breaks.has_value(); }))
      again.push_back(runner.configuration);
  if (!again.empty())
    for (const std::size_t runner : racing_)
      again.push_back(runners_[runner].configuration);
  return again;
}

std::unique_ptr<Strategy> race(std::vector<Configuration> candidates, RaceOptions options) {
  return std::make_unique<Race>(std::move(candidates), options);
}

} // namespace sartor
