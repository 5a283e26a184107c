// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/evidence/totals.h"

#include <algorithm>
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

double variance_of(std::span<const double> deviations) {
  const auto n = static_cast<double>(deviations.size());
  return n > 1 ? mean_square(deviations) * n / (n - 1) : 0;
}

std::vector<double> in_blocks(std::span<const double> numbers, std::size_t block) {
  std::vector<double> means;
  for (std::size_t i = 0; i + block <= numbers.size(); i += block)
    means.push_back(std::accumulate(numbers.begin() + static_cast<std::ptrdiff_t>(i),
                                    numbers.begin() + static_cast<std::ptrdiff_t>(i + block), 0.0) /
                    static_cast<double>(block));
  return means;
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

} // namespace sartor
