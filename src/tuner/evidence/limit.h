// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_EVIDENCE_LIMIT_H
#define SARTOR_TUNER_EVIDENCE_LIMIT_H

#include <span>
#include <vector>

#include <sartor/objective.hpp>
#include <sartor/strategy.hpp>

namespace sartor {

/// A bound in the form in which totals are compared with it: a sample of a percentile is the share
/// of requests above its limit, which may be a hundredth or so at most.
struct Limit {
  explicit Limit(const Bound &bound);

  double at;
  bool is_most;
  bool is_share; ///< Samples are shares: never above 1.

  /// True if all samples together are on the wrong side.
  [[nodiscard]] bool is_exceeded_by(std::span<const BoundSample> measured_samples) const;
  /// Ratio of all samples together to the limit, oriented so that more than 1 is worse than
  /// allowed.
  [[nodiscard]] double excess_of(std::span<const BoundSample> measured_samples) const;
  /// True if the quantity is surely within the limit (or beyond it) overall. Bets against the
  /// contrary (Bet), so that one may ask after each sample. Future samples may be as bad
  /// as possible: a share of 1, a rate of 0, or the worst that was seen.
  [[nodiscard]] bool is_surely_kept(std::span<const BoundSample> measured_samples,
                                    double error_probability) const;
  [[nodiscard]] bool is_surely_broken(std::span<const BoundSample> measured_samples,
                                      double error_probability) const;
};

/// The mean of all samples together; 0 without samples.
double mean_of(std::span<const BoundSample> measured_samples);
/// Two successive samples of the same bounds as one.
std::vector<BoundSample> merged(std::vector<BoundSample> one,
                                const std::vector<BoundSample> &other);

} // namespace sartor

#endif
