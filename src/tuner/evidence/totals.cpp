// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/evidence/totals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "tuner/limits.h"

namespace sartor {

namespace {

double mean_square(std::span<const double> numbers) {
  double sum = 0;
  for (const double number : numbers)
    sum += number * number;
  return sum / static_cast<double>(numbers.size());
}

/// The relative standard error of a mean square of `count` numbers.
double wavers_by(std::size_t count) { return std::sqrt(2 / static_cast<double>(count)); }

/// Variance of a sample, from deviations with a sum of zero. 0 for one sample.
double variance_of(std::span<const double> deviations) {
  const auto n = static_cast<double>(deviations.size());
  return n > 1 ? mean_square(deviations) * n / (n - 1) : 0;
}

struct Sums {
  double work = 0, effort = 0;
};

Sums sums_of(std::span<const Sample> samples) {
  Sums sums;
  for (const Sample &sample : samples) {
    sums.work += sample.score * sample.weight;
    sums.effort += sample.weight;
  }
  return sums;
}

/// Means of blocks of `block` neighbours each; an incomplete last block is left out.
std::vector<double> in_blocks(std::span<const double> numbers, std::size_t block) {
  std::vector<double> means;
  for (std::size_t i = 0; i + block <= numbers.size(); i += block)
    means.push_back(std::accumulate(numbers.begin() + static_cast<std::ptrdiff_t>(i),
                                    numbers.begin() + static_cast<std::ptrdiff_t>(i + block), 0.0) /
                    static_cast<double>(block));
  return means;
}

} // namespace

double mean_of(std::span<const Sample> samples) {
  const auto [work, effort] = sums_of(samples);
  return effort > 0 ? work / effort : 0;
}

MeanInterval interval_of(const Total &total, double error_probability) {
  const auto n = static_cast<double>(total.influences.size());
  if (n < 2)
    return {total.mean, std::numeric_limits<double>::infinity()};
  return {total.mean,
          always_valid_radius(variance_of(total.influences) * correlation_of(total.influences), n,
                              n - 1, error_probability)};
}

Total total_of(std::span<const Sample> samples) {
  const auto [work, effort] = sums_of(samples);
  Total total;
  if (!(effort > 0))
    return total;
  total.mean = work / effort;
  const double each = effort / static_cast<double>(samples.size());
  total.influences.reserve(samples.size());
  for (const Sample &sample : samples)
    total.influences.push_back((sample.score - total.mean) * sample.weight / each);
  return total;
}

Gain gain_of(const Total &ours, const Total &theirs) {
  Gain gain;
  const bool are_costs = ours.mean < 0 && theirs.mean < 0;
  const bool has_ratio = are_costs || (ours.mean > 0 && theirs.mean > 0);
  const double size = are_costs   ? -ours.mean
                      : has_ratio ? theirs.mean
                                  : (std::fabs(ours.mean) + std::fabs(theirs.mean)) / 2;
  const std::size_t count = std::min(ours.influences.size(), theirs.influences.size());
  if (!(size > 0) || count == 0)
    return gain;
  // The gain is theirs/ours - 1 of costs, and ours/theirs - 1 of scores to be maximized; these are
  // its derivatives by either mean, times the size.
  const double ratio = !has_ratio  ? 1
                       : are_costs ? theirs.mean / ours.mean
                                   : ours.mean / theirs.mean;
  const double by_ours = are_costs ? ratio : 1, by_theirs = are_costs ? 1 : ratio;
  gain.mean = (ours.mean - theirs.mean) / size;
  gain.scale = 1 / ratio;
  std::vector<double> deviations(count);
  for (std::size_t i = 0; i < count; ++i)
    deviations[i] = (by_ours * ours.influences[i] - by_theirs * theirs.influences[i]) / size;
  gain.variance = variance_of(deviations);
  gain.correlation = correlation_of(deviations);
  return gain;
}

double correlation_of(std::span<const double> deviations) {
  const double alone = mean_square(deviations);
  double most = 1;
  if (!(alone > 0))
    return most;
  for (std::size_t batch = 2; deviations.size() / batch >= limits::fewest_batches; batch *= 2) {
    const auto means = in_blocks(deviations, batch);
    const double seen = mean_square(means) * static_cast<double>(batch) / alone;
    most = std::max(most, seen / (1 + wavers_by(means.size())));
  }
  return most;
}

double log_wealth(std::span<const double> numbers, double worst) {
  std::array<double, limits::stakes.size()> wealth{};
  for (const double number : numbers)
    for (std::size_t i = 0; i < limits::stakes.size(); ++i)
      wealth[i] += std::log1p(std::max(limits::stakes[i] * number / worst, -limits::stakes[i]));
  const double largest = *std::ranges::max_element(wealth);
  double sum = 0;
  for (const double each : wealth)
    sum += std::exp(each - largest);
  return largest + std::log(sum / static_cast<double>(limits::stakes.size()));
}

std::size_t independent_block(std::span<const double> numbers) {
  std::size_t block = 1;
  for (std::vector<double> means(numbers.begin(), numbers.end());
       means.size() / 2 >= limits::fewest_batches; means = in_blocks(means, 2)) {
    const double middle =
        std::accumulate(means.begin(), means.end(), 0.0) / static_cast<double>(means.size());
    double squares = 0, products = 0;
    for (std::size_t i = 0; i < means.size(); ++i) {
      squares += (means[i] - middle) * (means[i] - middle);
      products += i > 0 ? (means[i] - middle) * (means[i - 1] - middle) : 0;
    }
    const double harmless = limits::harmless_noise * middle;
    if (squares <= harmless * harmless * static_cast<double>(means.size()) ||
        products / squares * std::sqrt(static_cast<double>(means.size())) <
            limits::correlation_errors)
      break;
    block *= 2;
  }
  return block;
}

double log_wealth(std::span<const double> weighted, std::span<const double> each, double worst) {
  return log_wealth(in_blocks(weighted, independent_block(each)), worst);
}

} // namespace sartor
