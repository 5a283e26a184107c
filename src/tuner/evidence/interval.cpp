// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/evidence/interval.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "tuner/limits.h"

namespace sartor {

double median(std::vector<double> samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::ranges::nth_element(samples, middle);
  return *middle;
}

double middle_of(std::vector<double> samples) {
  std::ranges::sort(samples);
  const auto quarter = static_cast<std::ptrdiff_t>(samples.size() / 4);
  const auto first = samples.begin() + quarter, last = samples.end() - quarter;
  return std::accumulate(first, last, 0.0) / static_cast<double>(last - first);
}

double robust_deviation(const std::vector<double> &samples) {
  const double center = median(samples);
  std::vector<double> deviations;
  deviations.reserve(samples.size());
  for (const double sample : samples)
    deviations.push_back(std::fabs(sample - center));
  return 1.4826 * median(std::move(deviations));
}

double advantage(double a, double b) {
  if (a > 0 && b > 0)
    return std::log(a / b);
  if (a < 0 && b < 0)
    return std::log(b / a);
  const double size = (std::fabs(a) + std::fabs(b)) / 2;
  return size > 0 ? (a - b) / size : 0;
}

double times_as_good(double a, double b) {
  if (b > 0)
    return a > 0 ? a / b : 0 * a;
  return a < 0 && b < 0 ? b / a : std::exp(advantage(a, b));
}

double better_by(double advantage, double b) {
  return b * std::exp(b > 0 ? advantage : -advantage);
}

RobustMean robust_mean(const std::vector<double> &samples, double deviation) {
  const auto n = static_cast<double>(samples.size());
  std::vector<double> sorted = samples;
  std::ranges::sort(sorted);
  const double center = (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
  const double limit = limits::clipped_deviations * std::max(deviation, robust_deviation(samples));
  RobustMean result{.mean = 0, .variance = 0};
  double kept = 0;
  double squares = 0;
  for (const double sample : samples) {
    const double clipped = std::clamp(sample - center, -limit, limit);
    kept += clipped == sample - center ? 1 / n : 0;
    result.mean += clipped / n;
    squares += clipped * clipped;
  }
  if (samples.size() > 1)
    result.variance =
        squares / (n - 1) / std::max(kept * kept, limits::least_kept * limits::least_kept);
  result.mean = center + result.mean / std::max(kept, limits::least_kept);
  return result;
}

double always_valid_radius(double variance, double n, double freedom, double error_probability,
                           double likely) {
  const double precision = likely > 0 ? std::clamp(variance / (likely * likely),
                                                   limits::least_precision, limits::most_precision)
                                      : limits::least_precision;
  // The true mean m is believed while ((1 + d) / (1 + d / shrink))^((freedom + 1) / 2) <
  // sqrt(shrink) / error, where d = t^2 / freedom. The left side grows with d, to shrink^((freedom
  // + 1) / 2).
  const double shrink = (n + precision) / precision;
  const double bound =
      std::pow(shrink / (error_probability * error_probability), 1 / (freedom + 1));
  if (bound >= shrink)
    return std::numeric_limits<double>::infinity();
  return std::sqrt(variance * freedom / n * (bound - 1) / (1 - bound / shrink));
}

} // namespace sartor
