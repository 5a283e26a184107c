// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_EVIDENCE_PERCENTILE_H
#define SARTOR_TUNER_EVIDENCE_PERCENTILE_H

#include <cstdint>
#include <span>
#include <vector>

#include <sartor/strategy.hpp>

#include "tuner/evidence/totals.h"

namespace sartor {

/// Requests by bucket of a histogram, in ascending order, without empty buckets.
using Requests = std::vector<BucketCount>;

/// Requests that were added to a histogram between two states of it. No count may have decreased.
Requests requests_between(std::span<const std::uint64_t> before,
                          std::span<const std::uint64_t> after);
/// The sum of both.
Requests merged(const Requests &one, const Requests &other);
QuantitySample merged(const QuantitySample &one, const QuantitySample &other);
double number_of(const Requests &requests);

/// A percentile of a histogram with these bounds. A percentile is one of all requests together.
/// That of A is below that of B exactly if, above a limit in between, A has a smaller share of its
/// requests than B. So two variants are compared by shares above a limit, which are totals; a
/// percentile itself has no mean.
class Percentile {
public:
  /// `bounds` is Buckets::bounds, which must outlive this object; `share` is the share of requests
  /// that do not exceed the percentile.
  Percentile(std::span<const double> bounds, double share) : bounds_(bounds), share_(share) {}

  /// Number of requests above a limit. Within a bucket, they are assumed to be spread evenly.
  [[nodiscard]] double above(const Requests &requests, double limit) const;
  /// The value that the share `tail` of these requests exceeds. `requests` must not be empty.
  [[nodiscard]] double value(const Requests &requests, double tail) const;
  [[nodiscard]] double value(const Requests &requests) const { return value(requests, tail()); }
  /// Reciprocal of the percentile, which is a score; 0 without requests.
  [[nodiscard]] double score_of(const Requests &requests) const;
  /// The mean of the values; requests beyond the last bound count as that bound.
  [[nodiscard]] double mean(const Requests &requests) const;
  /// True if there are enough requests for the percentile to be more than a few of the largest, or
  /// smallest, values.
  [[nodiscard]] bool is_of_enough(const Requests &requests) const;

  /// Slope: how much the percentile's logarithm falls for each additional share of requests above a
  /// limit. There must be enough requests.
  [[nodiscard]] double slope(const Requests &requests) const;

  /// The share of requests above the percentile.
  [[nodiscard]] double tail() const { return 1 - share_; }
  /// Reciprocal of the percentile of all requests together, which is a score, and the influence of
  /// each sample on it (R. R. Bahadur, "A note on quantiles in large samples", Annals of
  /// Mathematical Statistics 37, 1966). The density there is that between neighbouring percentiles.
  /// Without influences if there are too few requests.
  [[nodiscard]] Total total_of(std::span<const Sample> samples) const;
  /// The limit above which both have `tail()` of their requests, on average; the limit of `than` is
  /// `by` times as high (the median test of A. M. Mood, "Introduction to the Theory of Statistics",
  /// 1950, for any percentile).
  [[nodiscard]] double common_limit(const Requests &more, const Requests &than, double by) const;

private:
  [[nodiscard]] double low(std::size_t bucket) const;
  [[nodiscard]] double high(std::size_t bucket) const;

  std::span<const double> bounds_;
  double share_;
};

/// Requests of all samples.
Requests together(std::span<const Sample> samples);

} // namespace sartor

#endif
