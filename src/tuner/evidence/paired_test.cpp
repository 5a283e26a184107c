// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/evidence/paired_test.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

#include "tuner/evidence/interval.h"
#include "tuner/limits.h"

namespace sartor {

PairedTest::PairedTest(const Total &ours, const Total &theirs) {
  const std::size_t count = std::min(ours.influences.size(), theirs.influences.size());
  pairs_ = static_cast<double>(count);
  freedom_ = pairs_ - 1;
  const bool are_costs = ours.mean < 0 && theirs.mean < 0;
  const bool has_ratio = are_costs || (ours.mean > 0 && theirs.mean > 0);
  const double size = are_costs   ? -ours.mean
                      : has_ratio ? theirs.mean
                                  : (std::fabs(ours.mean) + std::fabs(theirs.mean)) / 2;
  if (!(size > 0) || count == 0)
    return;
  // The gain is theirs/ours - 1 of costs, and ours/theirs - 1 of scores to be maximized; these are
  // its derivatives by either mean, times the size.
  const double ratio = !has_ratio  ? 1
                       : are_costs ? theirs.mean / ours.mean
                                   : ours.mean / theirs.mean;
  const double by_ours = are_costs ? ratio : 1, by_theirs = are_costs ? 1 : ratio;
  mean_ = (ours.mean - theirs.mean) / size;
  scale_ = 1 / ratio;
  std::vector<double> deviations(count);
  for (std::size_t i = 0; i < count; ++i)
    deviations[i] = (by_ours * ours.influences[i] - by_theirs * theirs.influences[i]) / size;
  variance_ = variance_of(deviations);
  correlation_ = correlation_of(deviations);
}

double PairedTest::standard_error() const {
  return pairs_ > 0 ? std::sqrt(variance_ * correlation_ / pairs_) : 0;
}

double PairedTest::radius(double scale, double error_probability, const KnownNoise &known) const {
  if (!(freedom_ > 0))
    return std::numeric_limits<double>::infinity();
  const double freedom = freedom_ + known.freedom;
  const double variance =
      (freedom_ * variance_ * scale * scale + known.freedom * known.variance) / freedom;
  return always_valid_radius(std::max(variance, 2 * known.least_deviation * known.least_deviation) *
                                 std::max(correlation_, known.correlation),
                             pairs_, freedom, error_probability, known.likely) /
         scale;
}

Estimate PairedTest::estimate(double error_probability) const {
  const double radius = this->radius(1, error_probability, {});
  return {mean_, mean_ - radius, mean_ + radius, static_cast<std::size_t>(pairs_)};
}

PairedTest always_valid_mean(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  const auto n = static_cast<double>(samples.size());
  const auto trimmed = static_cast<std::size_t>(limits::trimmed_share * n);
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

  // Treated as the variance of a sample, with a degree of freedom for each remaining sample but
  // one.
  return {mean, left > 1 ? variance * n / (left - 1) : 0, n, left - 1};
}

} // namespace sartor
