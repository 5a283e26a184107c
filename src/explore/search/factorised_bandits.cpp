// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <sartor/strategies.hpp>

#include "explore/search/families.h"
#include "explore/search/ledger.h"

namespace sartor {

namespace {

using Place = SearchSpace::Place;

/// How often what the bandits choose may have been tried already, before chance takes over.
constexpr int most_draws = 50;
/// Bandits that are sure of themselves choose the same again; so much more doubtful they become
/// with each draw, so that what comes next to the best is tried next.
constexpr double widening = 1.1;
/// Gauss and Seidel's sweeps over the dimensions; effects settle in a few.
constexpr int sweeps = 10;
/// What a failed trial is taken for: worse than the worst, as the log of a ratio.
constexpr double failure = -1;

/// A bandit for each dimension, an arm for each setting and for generic; all are rewarded by the
/// same trials (J. Zimmert and Y. Seldin, "Factored Bandits", NeurIPS 2018). Each is rewarded with
/// what the others do not account for, taking log scores as sums of effects, which makes it
/// Thompson sampling for linear payoffs (S. Agrawal and N. Goyal, "Thompson Sampling for Contextual
/// Bandits with Linear Payoffs", ICML 2013) with the effects taken as independent of each other.
/// Sampling makes trials under way together differ by itself (K. Kandasamy et al., "Parallelised
/// Bayesian Optimisation via Thompson Sampling", AISTATS 2018).
class FactorisedBandits final : public Strategy {
public:
  FactorisedBandits(const SearchSpace &space, const SearchOptions &options)
      : ledger_(space, options.most_trials), random_(options.seed) {
    for (const Dimension &dimension : space.dimensions())
      arms_.emplace_back(dimension.settings.size() + 1);
  }

  std::optional<Configuration> ask() override;
  void tell(const Trial &trial) override;
  [[nodiscard]] Decision best() const override { return ledger_.best(); }

private:
  /// What is believed of one setting's effect on the log score: normal.
  struct Arm {
    double mean = 0;
    double deviation = 1;
  };
  struct Reward {
    Place place;
    double value;
  };

  [[nodiscard]] std::vector<Reward> rewards() const;
  void believe();

  Ledger ledger_;
  std::mt19937_64 random_;
  std::vector<std::vector<Arm>> arms_; ///< By dimension and position.
  std::vector<Place> told_;            ///< In the order of the first results.
};

std::optional<Configuration> FactorisedBandits::ask() {
  if (ledger_.left() == 0)
    return std::nullopt;
  // The generic code first: it is what everything else is compared with.
  if (const Place generic(arms_.size()); ledger_.is_new(generic))
    return ledger_.ask(generic);
  // The last trial has nothing to explore for.
  double curiosity = ledger_.left() == 1 ? 0 : 1;
  for (int draw = 0; draw < most_draws; ++draw, curiosity = std::max(1.0, widening * curiosity)) {
    Place place;
    for (const auto &arms : arms_) {
      std::vector<double> drawn;
      for (const Arm &arm : arms)
        drawn.push_back(arm.mean +
                        curiosity * arm.deviation * std::normal_distribution<double>()(random_));
      place.push_back(static_cast<std::uint32_t>(std::ranges::max_element(drawn) - drawn.begin()));
    }
    place = nearest_allowed(ledger_.space(), place);
    if (ledger_.is_new(place))
      return ledger_.ask(place);
  }
  const auto place = ledger_.random_new(random_);
  return place ? std::optional(ledger_.ask(*place)) : std::nullopt;
}

void FactorisedBandits::tell(const Trial &trial) {
  const auto place = ledger_.tell(trial);
  if (!place)
    return;
  if (std::ranges::find(told_, *place) == told_.end())
    told_.push_back(*place);
  believe();
}

/// Log scores against the first success.
std::vector<FactorisedBandits::Reward> FactorisedBandits::rewards() const {
  const Outcome *first = nullptr;
  std::vector<Reward> rewards;
  double worst = 0;
  for (const Place &place : told_)
    if (const Outcome &outcome = *ledger_.find(place); !outcome.failed) {
      first = first ? first : &outcome;
      rewards.push_back({place, gain(*first, outcome).mean});
      worst = std::min(worst, rewards.back().value);
    }
  for (const Place &place : told_)
    if (ledger_.find(place)->failed)
      rewards.push_back({place, worst + failure});
  return rewards;
}

void FactorisedBandits::believe() {
  const auto rewards = this->rewards();
  const auto count = static_cast<double>(rewards.size());
  double mean = 0, variance = 0;
  for (const Reward &reward : rewards)
    mean += reward.value / count;
  for (const Reward &reward : rewards)
    variance += (reward.value - mean) * (reward.value - mean) / count;
  for (auto &arms : arms_)
    std::ranges::fill(arms, Arm{});
  if (rewards.size() < 2 || !(variance > 0))
    return;

  // Effects of all dimensions make up the variance; what they leave is noise.
  const double of_effect = variance / static_cast<double>(arms_.size());
  double of_noise = variance / 2;
  std::vector<double> left; // what no effect accounts for, by trial
  for (const Reward &reward : rewards)
    left.push_back(reward.value - mean);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    const double shrink = std::clamp(of_noise / of_effect, 0.1, 4.0);
    for (std::size_t d = 0; d < arms_.size(); ++d) {
      std::vector<double> sums(arms_[d].size()), times(arms_[d].size());
      for (std::size_t i = 0; i < left.size(); ++i) {
        const std::uint32_t position = rewards[i].place[d];
        sums[position] += left[i] + arms_[d][position].mean;
        ++times[position];
      }
      for (std::size_t position = 0; position < sums.size(); ++position) {
        Arm &arm = arms_[d][position];
        const double effect = sums[position] / (times[position] + shrink);
        for (std::size_t i = 0; i < left.size(); ++i)
          if (rewards[i].place[d] == position)
            left[i] -= effect - arm.mean;
        arm = {effect, std::sqrt(shrink * of_effect / (times[position] + shrink))};
      }
    }
    of_noise = 0;
    for (const double residual : left)
      of_noise += residual * residual / count;
  }
}

} // namespace

std::unique_ptr<Strategy> factorised_bandits(const SearchSpace &space, SearchOptions options) {
  return std::make_unique<FactorisedBandits>(space, options);
}

} // namespace sartor
