// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/interval.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace sartor {

namespace {

/// The precision of the prior on the effect size. Small: differences of a few deviations, which
/// are the ones that a race can afford to settle, are found early; the price is a bound some
/// per cent wider after a hundred samples.
constexpr double prior_precision = 0.1;

/// Share of samples trimmed at either end.
constexpr double trimmed_share = 0.1;

} // namespace

double median(std::vector<double> samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::ranges::nth_element(samples, middle);
  return *middle;
}

double robust_deviation(const std::vector<double> &samples) {
  const double center = median(samples);
  std::vector<double> deviations;
  deviations.reserve(samples.size());
  for (const double sample : samples)
    deviations.push_back(std::fabs(sample - center));
  return 1.4826 * median(std::move(deviations));
}

MeanInterval always_valid_mean(std::span<const double> samples, double error_probability) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  const auto n = static_cast<double>(samples.size());
  const auto trimmed = static_cast<std::size_t>(trimmed_share * n);
  const std::span<const double> kept(sorted.data() + trimmed, sorted.size() - 2 * trimmed);
  const auto left = static_cast<double>(kept.size());
  const double mean = std::accumulate(kept.begin(), kept.end(), 0.0) / left;
  double winsorised_mean = 0;
  for (const double sample : sorted)
    winsorised_mean += std::clamp(sample, kept.front(), kept.back()) / n;
  double variance = 0;
  for (const double sample : sorted) {
    const double deviation = std::clamp(sample, kept.front(), kept.back()) - winsorised_mean;
    variance += deviation * deviation / n;
  }
  variance *= (n / left) * (n / left);

  // The true mean m is believed while ((v + d) / (v + d / shrink))^(left/2) < sqrt(shrink) / error,
  // where d = (mean - m)^2 and v is the variance. The left side grows with d, to shrink^(left/2).
  const double shrink = (n + prior_precision) / prior_precision;
  const double bound = std::pow(shrink / (error_probability * error_probability), 1 / left);
  if (bound >= shrink)
    return {mean, std::numeric_limits<double>::infinity()};
  return {mean, std::sqrt(variance * (bound - 1) / (1 - bound / shrink))};
}

} // namespace sartor
