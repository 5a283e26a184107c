// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/evidence/limit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "explore/evidence/totals.h"
#include "explore/limits.h"

namespace sartor {

namespace {

/// Bets on numbers that have a mean above zero if the claim is true.
bool is_believed(std::vector<double> numbers, double worst, double error_probability) {
  if (numbers.empty())
    return false;
  for (const double number : numbers)
    worst = std::max(worst, -limits::unseen * number);
  return log_wealth(in_blocks(numbers, independent_block(numbers)), worst) >=
         -std::log(error_probability);
}

/// How far readings are within the limit, as shares of it, by weight.
std::vector<double> within(const Limit &limit, std::span<const BoundReading> readings) {
  double each = 0;
  for (const BoundReading &reading : readings)
    each += reading.weight / static_cast<double>(readings.size());
  std::vector<double> numbers;
  if (!(each > 0))
    return numbers;
  for (const auto &[value, weight] : readings)
    numbers.push_back((limit.is_most ? 1 : -1) * (limit.at - value) / limit.at * weight / each);
  return numbers;
}

} // namespace

Limit::Limit(const Bound &bound)
    : at(bound.of->kind == Objective::Kind::percentile ? 1 - bound.of->percent / 100 : bound.limit),
      is_most(bound.is_most), is_share(bound.of->kind == Objective::Kind::percentile) {}

bool Limit::is_exceeded_by(std::span<const BoundReading> readings) const {
  return excess_of(readings) > 1;
}

double Limit::excess_of(std::span<const BoundReading> readings) const {
  const bool is_seen =
      std::ranges::any_of(readings, [](const BoundReading &reading) { return reading.weight > 0; });
  const double mean = mean_of(readings);
  if (!is_seen)
    return 1;
  return is_most ? mean / at : at / std::max(mean, 1e-9 * at);
}

bool Limit::is_surely_kept(std::span<const BoundReading> readings, double error_probability) const {
  return is_believed(within(*this, readings), is_share ? 1 / at - 1 : 1, error_probability);
}

bool Limit::is_surely_broken(std::span<const BoundReading> readings,
                             double error_probability) const {
  std::vector<double> beyond = within(*this, readings);
  for (double &number : beyond)
    number = -number;
  return is_believed(std::move(beyond), 1, error_probability);
}

double mean_of(std::span<const BoundReading> readings) {
  double sum = 0, weight = 0;
  for (const BoundReading &reading : readings) {
    sum += reading.value * reading.weight;
    weight += reading.weight;
  }
  return weight > 0 ? sum / weight : 0;
}

std::vector<BoundReading> merged(std::vector<BoundReading> one,
                                 const std::vector<BoundReading> &other) {
  for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i) {
    const std::array<BoundReading, 2> both{one[i], other[i]};
    one[i] = {mean_of(both), one[i].weight + other[i].weight};
  }
  return one;
}

} // namespace sartor
