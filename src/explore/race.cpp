// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/race.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "explore/interval.h"

namespace sartor {

namespace {

/// How far behind a candidate must be, as the log of a ratio, to be dropped without a proof: 30 %.
const double far_behind = std::log(1.3);
/// ... and in deviations of one window's noise.
constexpr double far_behind_deviations = 4;
/// From this round on the proof is soon there anyway.
constexpr std::size_t last_early_round = 5;

/// How much better `a` is than `b`: the log of their ratio, in which what slows both by the same
/// factor cancels. Scores that are not positive have no logarithm; for them the difference as a
/// share of the mean size, which is the same thing for small differences and at most 2.
double advantage(double a, double b) {
  if (a > 0 && b > 0)
    return std::log(a / b);
  const double size = (std::fabs(a) + std::fabs(b)) / 2;
  return size > 0 ? (a - b) / size : 0;
}

/// Racing: O. Maron and A. W. Moore, "Hoeffding Races", NIPS 6, 1993; paired within blocks as in
/// M. Birattari et al., "A Racing Algorithm for Configuring Metaheuristics", GECCO 2002;
/// with the anytime-valid bound of always_valid_mean() in place of a test at fixed sizes.
class Race final : public Strategy {
public:
  Race(std::vector<Configuration> candidates, const RaceOptions &options)
      : options_(options), random_(options.seed) {
    for (Configuration &candidate : candidates)
      if (std::ranges::find(runners_, candidate, &Runner::configuration) == runners_.end())
        runners_.push_back({std::move(candidate), {}});
    for (std::size_t i = 0; i < runners_.size(); ++i)
      racing_.push_back(i);
    // A union bound over the pairs that the best is one of.
    pair_error_ = options.error_probability /
                  static_cast<double>(std::max<std::size_t>(runners_.size(), 2) - 1);
    start_round();
  }

  std::optional<Configuration> ask() override {
    if (round_.empty())
      return std::nullopt;
    return runners_[round_.back()].configuration;
  }

  void tell(const Trial &trial) override {
    if (round_.empty() || trial.configuration != runners_[round_.back()].configuration)
      return;
    const std::size_t runner = round_.back();
    round_.pop_back();
    if (trial.failed || !std::isfinite(trial.score))
      std::erase(racing_, runner);
    else
      runners_[runner].scores.push_back(trial.score);
    if (round_.empty())
      end_round();
  }

  [[nodiscard]] Decision best() const override;

private:
  struct Runner {
    Configuration configuration;
    std::vector<double> scores; ///< One per round.
  };

  void start_round() {
    round_ = racing_;
    std::ranges::shuffle(round_, random_);
  }
  void end_round();
  void drop_far_behind(std::size_t leader);
  [[nodiscard]] std::size_t leader() const;
  [[nodiscard]] double window_noise() const;
  [[nodiscard]] std::vector<double> advantages(std::size_t over, std::size_t of) const;

  const RaceOptions options_;
  double pair_error_ = 0;
  std::mt19937_64 random_;
  std::vector<Runner> runners_;
  std::vector<std::size_t> racing_; ///< Who is still in the race.
  std::vector<std::size_t> round_;  ///< Who has yet to run in this round, the next one last.
  std::size_t rounds_ = 0;          ///< Complete ones.
};

std::vector<double> Race::advantages(std::size_t over, std::size_t of) const {
  std::vector<double> differences(rounds_);
  for (std::size_t round = 0; round < rounds_; ++round)
    differences[round] = advantage(runners_[of].scores[round], runners_[over].scores[round]);
  return differences;
}

/// Who is ahead of the middle of the field by most. Requires a complete round and somebody racing.
std::size_t Race::leader() const {
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
    const double mean = always_valid_mean(ahead, pair_error_).mean;
    if (mean > lead)
      lead = mean, leader = runner;
  }
  return leader;
}

/// The deviation of one window's log score: from how candidates moved from round to round, less
/// what they moved together.
double Race::window_noise() const {
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
  return robust_deviation(moves) / std::sqrt(2.0);
}

void Race::drop_far_behind(std::size_t leader) {
  const double limit = std::max(far_behind, far_behind_deviations * window_noise());
  std::erase_if(racing_, [&](std::size_t runner) {
    const auto behind =
        std::ranges::count_if(advantages(leader, runner), [&](double by) { return by < -limit; });
    return static_cast<std::size_t>(behind) >= std::max<std::size_t>(2, rounds_ - 1);
  });
}

void Race::end_round() {
  ++rounds_;
  if (racing_.size() <= 1 || rounds_ >= options_.most_windows)
    return;
  const std::size_t first = leader();
  if (rounds_ >= 2 && rounds_ < last_early_round)
    drop_far_behind(first);
  double best_may_be_ahead = 0;
  std::erase_if(racing_, [&](std::size_t runner) {
    if (runner == first)
      return false;
    const auto [mean, radius] = always_valid_mean(advantages(first, runner), pair_error_);
    const bool surely_worse = mean + radius < 0;
    if (!surely_worse)
      best_may_be_ahead = std::max(best_may_be_ahead, mean + radius);
    return surely_worse;
  });
  if (racing_.size() > 1 && best_may_be_ahead > options_.tolerance)
    start_round();
}

Decision Race::best() const {
  if (racing_.empty())
    return {};
  const Runner *best = &runners_[racing_.front()];
  if (rounds_ > 0) {
    best = &runners_[leader()];
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
