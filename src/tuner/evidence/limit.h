// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_EVIDENCE_LIMIT_H
#define SARTOR_TUNER_EVIDENCE_LIMIT_H

#include <span>
#include <vector>

#include <sartor/objective.hpp>
#include <sartor/strategy.hpp>

namespace sartor {

/// A bound as totals are compared with: what is read of a percentile is the share of requests above
/// its limit, which may be a hundredth or so at most.
struct Limit {
  explicit Limit(const Bound &bound);

  double at;
  bool is_most;
  bool is_share; ///< What is read is a share: never above 1.

  /// Whether all readings together are on the wrong side.
  [[nodiscard]] bool is_exceeded_by(std::span<const BoundReading> readings) const;
  /// How many times as bad as the limit allows they are; 1 is at the limit.
  [[nodiscard]] double excess_of(std::span<const BoundReading> readings) const;
  /// Whether the quantity is surely within the limit, or beyond, on the whole: bets against
  /// (log_wealth()), so that one may ask after each reading. What has not been seen yet may be as
  /// bad as it can: a share of 1, a rate of 0, or the worst that was seen.
  [[nodiscard]] bool is_surely_kept(std::span<const BoundReading> readings,
                                    double error_probability) const;
  [[nodiscard]] bool is_surely_broken(std::span<const BoundReading> readings,
                                      double error_probability) const;
};

/// The mean of all together; 0 where nothing was seen.
double mean_of(std::span<const BoundReading> readings);
/// What two readings of the same bounds came to together.
std::vector<BoundReading> merged(std::vector<BoundReading> one,
                                 const std::vector<BoundReading> &other);

} // namespace sartor

#endif
