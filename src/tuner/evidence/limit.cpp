// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/evidence/limit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "tuner/evidence/bet.h"
#include "tuner/limits.h"

namespace sartor {

namespace {

/// True if the samples are surely on one side of the limit: within it if `towards` is 1, beyond it
/// if it is -1. Bets on their distances from it, as shares of it.
bool is_believed(const Limit &limit, std::span<const BoundSample> measured_samples, int towards,
                 double worst, double error_probability) {
  double mean_weight = 0;
  for (const BoundSample &measured : measured_samples)
    mean_weight += measured.weight / static_cast<double>(measured_samples.size());
  if (!(mean_weight > 0))
    return false;
  Bet bet{.worst = worst};
  for (const auto &[value, weight] : measured_samples) {
    const double distance = (limit.is_most ? towards : -towards) * (limit.at - value) / limit.at;
    bet.each.push_back(distance);
    bet.by.push_back(distance * weight / mean_weight);
    bet.worst = std::max(bet.worst, -limits::unseen * bet.by.back());
  }
  return bet.log_wealth() >= -std::log(error_probability);
}

} // namespace

Limit::Limit(const Bound &bound)
    : at(bound.of->kind == Objective::Kind::percentile ? 1 - bound.of->percent / 100 : bound.limit),
      is_most(bound.is_most), is_share(bound.of->kind == Objective::Kind::percentile) {}

bool Limit::is_exceeded_by(std::span<const BoundSample> measured_samples) const {
  return excess_of(measured_samples) > 1;
}

double Limit::excess_of(std::span<const BoundSample> measured_samples) const {
  const bool is_seen = std::ranges::any_of(
      measured_samples, [](const BoundSample &measured) { return measured.weight > 0; });
  const double mean = mean_of(measured_samples);
  if (!is_seen)
    return 1;
  return is_most ? mean / at : at / std::max(mean, 1e-9 * at);
}

bool Limit::is_surely_kept(std::span<const BoundSample> measured_samples,
                           double error_probability) const {
  return is_believed(*this, measured_samples, 1, is_share ? 1 / at - 1 : 1, error_probability);
}

bool Limit::is_surely_broken(std::span<const BoundSample> measured_samples,
                             double error_probability) const {
  return is_believed(*this, measured_samples, -1, 1, error_probability);
}

double mean_of(std::span<const BoundSample> measured_samples) {
  double sum = 0, weight = 0;
  for (const BoundSample &measured : measured_samples) {
    sum += measured.value * measured.weight;
    weight += measured.weight;
  }
  return weight > 0 ? sum / weight : 0;
}

std::vector<BoundSample> merged(std::vector<BoundSample> one,
                                const std::vector<BoundSample> &other) {
  for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i) {
    const std::array<BoundSample, 2> both{one[i], other[i]};
    one[i] = {mean_of(both), one[i].weight + other[i].weight};
  }
  return one;
}

} // namespace sartor
