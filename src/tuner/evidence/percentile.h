// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_EVIDENCE_PERCENTILE_H
#define SARTOR_TUNER_EVIDENCE_PERCENTILE_H

#include <cstdint>
#include <span>
#include <vector>

#include <sartor/strategy.hpp>

#include "tuner/evidence/totals.h"

namespace sartor {

/// Requests by bucket of a histogram, empty buckets left out, ascending.
using Requests = std::vector<BucketCount>;

/// What came to a histogram from one reading to the next. Nothing may have become less.
Requests requests_between(std::span<const std::uint64_t> before,
                          std::span<const std::uint64_t> after);
/// Of both.
Requests merged(const Requests &one, const Requests &other);
QuantityReading merged(const QuantityReading &one, const QuantityReading &other);
double number_of(const Requests &requests);

/// A percentile of a histogram with these bounds. A percentile is one of all requests together;
/// that of A is below that of B where, above a limit in between, A has a smaller share of its
/// requests than B: so two variants are compared by shares above a limit, which are totals, and not
/// by the mean of something that has none.
class Percentile {
public:
  /// `bounds` as Buckets::bounds, which must outlive it; `share` is that of the requests that do
  /// not exceed it.
  Percentile(std::span<const double> bounds, double share) : bounds_(bounds), share_(share) {}

  /// How many requests are above a limit. In a bucket, they are taken to be spread evenly.
  [[nodiscard]] double above(const Requests &requests, double limit) const;
  /// The share of these requests, which must not be empty, that `value` is exceeded by is `tail`.
  [[nodiscard]] double value(const Requests &requests, double tail) const;
  [[nodiscard]] double value(const Requests &requests) const { return value(requests, tail()); }
  /// One over it, which is a score; 0 if there are none.
  [[nodiscard]] double score_of(const Requests &requests) const;
  /// The mean of the values; of those beyond the last bound, that bound.
  [[nodiscard]] double mean(const Requests &requests) const;
  /// Whether there are enough for the percentile to be anything but a few of the largest, or
  /// smallest, values.
  [[nodiscard]] bool is_of_enough(const Requests &requests) const;

  /// How steep it is: by how much its logarithm falls for each share of the requests, which must
  /// be enough, that is above a limit besides.
  [[nodiscard]] double slope(const Requests &requests) const;

  /// The share of requests that are above it.
  [[nodiscard]] double tail() const { return 1 - share_; }
  /// One over the percentile of all together, which is a score, and by how much each sample moves
  /// it (R. R. Bahadur, "A note on quantiles in large samples", Annals of Mathematical Statistics
  /// 37, 1966). The density there is that between neighbouring percentiles. Without influences
  /// where there are too few requests.
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

/// Of all samples.
Requests together(std::span<const Sample> samples);

} // namespace sartor

#endif
