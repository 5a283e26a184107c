// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/race.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "explore/evidence/interval.h"

namespace sartor {

namespace {

/// How far behind a candidate must be, as the log of a ratio, to be dropped without a proof: 30 %.
const double far_behind = std::log(1.3);
/// ... and in deviations of one slice's noise.
constexpr double far_behind_deviations = 4;
/// In noise louder than this, bursts may last for a round or two: then it must be half as good, in
/// one round more, and in all.
constexpr double loud_noise = 0.05;
const double hopelessly_behind = std::log(2.0);
constexpr std::size_t enough_rounds = 2;
/// Differences that a race is made for, as the log of a ratio.
constexpr double likely_difference = 0.1;
/// From this round on the proof is soon there anyway.
constexpr std::size_t last_early_round = 5;
/// Noise that is taken for granted: counters count in steps.
constexpr double least_noise = 0.001;
/// For how many samples the noise of all pairs together counts beside a pair's own.
constexpr double common_freedom = 10;
/// Up to here there is a look at the standings after each round, later after each that adds this
/// share.
constexpr std::size_t rounds_with_a_look = 16;

/// Racing: O. Maron and A. W. Moore, "Hoeffding Races", NIPS 6, 1993; paired within blocks as in
/// M. Birattari et al., "A Racing Algorithm for Configuring Metaheuristics", GECCO 2002;
/// with the anytime-valid bound of always_valid_radius() in place of a test at fixed sizes.
class Race final : public Strategy {
public:
  Race(std::vector<Configuration> candidates, const RaceOptions &options)
      : options_(options), random_(options.seed) {
    for (Configuration &candidate : candidates)
      if (std::ranges::find(runners_, candidate, &Runner::configuration) == runners_.end())
        runners_.push_back({.configuration = std::move(candidate)});
    for (std::size_t i = 0; i < runners_.size(); ++i)
      racing_.push_back(i);
    // A union bound over the pairs that the best is one of; only one side of each interval counts.
    const auto pairs = static_cast<double>(std::max<std::size_t>(runners_.size(), 2) - 1);
    pair_error_ = std::min(2 * options.error_probability / pairs, 1.0);
    start_round();
  }

  std::optional<Configuration> ask() override {
    if (to_ask_.empty())
      return std::nullopt;
    asked_.push_back(to_ask_.back());
    to_ask_.pop_back();
    return runners_[asked_.back()].configuration;
  }

  void tell(const Trial &trial) override {
    const auto runner = std::ranges::find_if(asked_, [&](std::size_t asked) {
      return runners_[asked].configuration == trial.configuration;
    });
    if (runner == asked_.end())
      return;
    if (trial.failed || !std::isfinite(trial.score))
      std::erase(racing_, *runner);
    else
      runners_[*runner].scores.push_back(trial.score);
    asked_.erase(runner);
    if (to_ask_.empty() && asked_.empty())
      end_round();
  }

  [[nodiscard]] Decision best() const override;
  [[nodiscard]] std::size_t slices() const override { return 1; }

private:
  struct Runner {
    Configuration configuration;
    std::vector<double> scores{}; ///< One per round.
    /// By how much the best of those that were dropped because of this one may be better.
    double burden = 0;
  };
  struct Pair {
    std::size_t runner;
    RobustMean ahead; ///< Of the leader.
  };

  void start_round() {
    to_ask_ = racing_;
    std::ranges::shuffle(to_ask_, random_);
  }
  void end_round();
  void drop_far_behind(std::size_t leader, double noise);
  void drop_not_better(std::size_t leader, double noise);
  [[nodiscard]] std::size_t leader(double noise) const;
  [[nodiscard]] double slice_noise() const;
  [[nodiscard]] std::vector<double> advantages(std::size_t over, std::size_t of) const;

  const RaceOptions options_;
  double pair_error_ = 0;
  std::mt19937_64 random_;
  std::vector<Runner> runners_;
  std::vector<std::size_t> racing_; ///< Who is still in the race.
  std::vector<std::size_t> to_ask_; ///< Who has yet to run in this round, the next one last.
  std::vector<std::size_t> asked_;  ///< Who runs.
  std::size_t rounds_ = 0;          ///< Complete ones.
  std::size_t next_look_ = 2;
};

std::vector<double> Race::advantages(std::size_t over, std::size_t of) const {
  std::vector<double> differences(rounds_);
  for (std::size_t round = 0; round < rounds_; ++round)
    differences[round] = advantage(runners_[of].scores[round], runners_[over].scores[round]);
  return differences;
}

/// Who is ahead of the middle of the field by most. Requires a complete round and somebody racing.
std::size_t Race::leader(double noise) const {
  std::vector<double> middles(rounds_);
  for (std::size_t round = 0; round < rounds_; ++round) {
    std::vector<double> scores;
    for (const std::size_t runner : racing_)
      scores.push_back(runners_[runner].scores[round]);
    middles[round] = median(std::move(scores));
  }
  std::size_t leader = racing_.front();
  double lead = -std::numeric_limits<double>::infinity();
  for (const std::size_t runner : racing_) {
    std::vector<double> ahead(rounds_);
    for (std::size_t round = 0; round < rounds_; ++round)
      ahead[round] = advantage(runners_[runner].scores[round], middles[round]);
    const double mean = robust_mean(ahead, noise).mean;
    if (mean > lead)
      lead = mean, leader = runner;
  }
  return leader;
}

/// The deviation of one slice's log score: from how candidates moved from round to round, less
/// what they moved together.
double Race::slice_noise() const {
  std::vector<double> moves;
  for (std::size_t round = 1; round < rounds_; ++round) {
    std::vector<double> of_round;
    for (const std::size_t runner : racing_) {
      const auto &scores = runners_[runner].scores;
      of_round.push_back(advantage(scores[round], scores[round - 1]));
    }
    const double common = median(of_round);
    for (const double move : of_round)
      moves.push_back(move - common);
  }
  return moves.empty() ? 0 : std::max(robust_deviation(moves) / std::sqrt(2.0), least_noise);
}

void Race::drop_far_behind(std::size_t leader, double noise) {
  const bool is_loud = noise >= loud_noise;
  const std::size_t enough =
      is_loud ? std::max(rounds_, enough_rounds + 1) : std::max(rounds_ - 1, enough_rounds);
  const double limit =
      std::max(is_loud ? hopelessly_behind : far_behind, far_behind_deviations * noise);
  std::erase_if(racing_, [&](std::size_t runner) {
    const auto behind =
        std::ranges::count_if(advantages(leader, runner), [&](double by) { return by < -limit; });
    return static_cast<std::size_t>(behind) >= enough;
  });
}

/// By how much the variance of a mean is more than that of as many independent samples: for
/// neighbours that are correlated as in a first-order autoregression, if they surely are.
double correlation_factor(double products, double squares, double count) {
  const double correlation = squares > 0 ? products / squares : 0;
  constexpr double sure = 2, most = 0.9;
  if (correlation * std::sqrt(count) < sure)
    return 1;
  return (1 + std::min(correlation, most)) / (1 - std::min(correlation, most));
}

void Race::drop_not_better(std::size_t leader, double noise) {
  std::vector<Pair> pairs;
  double common_variance = 0;
  double squares = 0;
  double products = 0; // of neighbours
  for (const std::size_t runner : racing_) {
    if (runner == leader)
      continue;
    pairs.push_back({runner, robust_mean(advantages(leader, runner), std::sqrt(2.0) * noise)});
    const RobustMean &ahead = pairs.back().ahead;
    common_variance += ahead.variance;
    for (std::size_t i = 0; i < rounds_; ++i) {
      squares += ahead.deviations[i] * ahead.deviations[i];
      products += i > 0 ? ahead.deviations[i] * ahead.deviations[i - 1] : 0;
    }
  }
  if (pairs.empty())
    return;
  const auto n = static_cast<double>(rounds_);
  const auto count = static_cast<double>(pairs.size());
  common_variance /= count;
  // All pairs have the leader's noise in common: their squares are correlated by a quarter.
  const double others = std::min((n - 1) * count / (1 + (count - 1) / 4), common_freedom);
  const double correlated = correlation_factor(products, squares, n * count);
  for (const auto &[runner, ahead] : pairs) {
    const double freedom = count > 1 ? n - 1 + others : n - 1;
    const double variance = count > 1
                                ? ((n - 1) * ahead.variance + others * common_variance) / freedom
                                : ahead.variance;
    const double radius =
        always_valid_radius(std::max(variance, 2 * least_noise * least_noise) * correlated, n,
                            freedom, pair_error_, likely_difference);
    const double at_most = ahead.mean + radius + runners_[runner].burden;
    // Where no tolerance is wanted, equals race until slices run out.
    if (at_most >= std::log1p(options_.tolerance))
      continue;
    std::erase(racing_, runner);
    runners_[leader].burden = std::max(runners_[leader].burden, at_most);
  }
}

void Race::end_round() {
  ++rounds_;
  if (racing_.size() <= 1 || rounds_ >= options_.most_slices)
    return;
  if (rounds_ >= next_look_) {
    next_look_ = rounds_ + std::max<std::size_t>(rounds_ / rounds_with_a_look, 1);
    const double noise = slice_noise();
    const std::size_t first = leader(noise);
    if (rounds_ < last_early_round)
      drop_far_behind(first, noise);
    drop_not_better(first, noise);
  }
  if (racing_.size() > 1)
    start_round();
}

Decision Race::best() const {
  if (racing_.empty())
    return {};
  const Runner *best = &runners_[racing_.front()];
  if (rounds_ > 0) {
    best = &runners_[leader(slice_noise())];
  } else {
    for (const std::size_t runner : racing_)
      if (best->scores.empty() ||
          (!runners_[runner].scores.empty() && runners_[runner].scores[0] > best->scores[0]))
        best = &runners_[runner];
  }
  if (best->scores.empty())
    return {};
  const auto [mean, radius] = always_valid_mean(best->scores, options_.error_probability);
  const auto [low, high] = std::ranges::minmax(best->scores);
  const bool known = std::isfinite(radius);
  return {best->configuration, Estimate{.mean = mean,
                                        .low = known ? mean - radius : low,
                                        .high = known ? mean + radius : high,
                                        .windows = best->scores.size()}};
}

} // namespace

std::unique_ptr<Strategy> race(std::vector<Configuration> candidates, RaceOptions options) {
  return std::make_unique<Race>(std::move(candidates), options);
}

} // namespace sartor
