// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_EVIDENCE_PAIRED_TEST_H
#define SARTOR_TUNER_EVIDENCE_PAIRED_TEST_H

#include <span>

#include <sartor/strategy.hpp>

#include "tuner/evidence/totals.h"

namespace sartor {

/// Knowledge about the noise of pairs that is not from the pairs themselves.
struct KnownNoise {
  /// Expected size of the difference: differences of about that size are settled soonest. 0: none
  /// is expected.
  double likely = 0;
  double least_deviation = 0; ///< Lower limit of the deviation of a sample.
  /// Variance of similar pairs, as a share of ours, and the degrees of freedom that it counts for.
  double variance = 0, freedom = 0;
  double correlation = 1; ///< Lower limit of the correlation factor.
};

/// The sequential test of two alternatives that were measured in pairs: by how much ours is ahead
/// of theirs. Its limits hold at all numbers of pairs at once (always_valid_radius()), so one may
/// look after each pair and stop at any time. A slowdown of both in the same pair cancels. A value
/// type.
class PairedTest {
public:
  /// Tests a mean of pairs. `variance` is that of a pair, which was estimated with `freedom`
  /// degrees of freedom.
  PairedTest(double mean, double variance, double pairs, double freedom)
      : mean_(mean), variance_(variance), pairs_(pairs), freedom_(freedom) {}
  /// Tests the gain: the lead as a share of theirs. For two negative means, it is that of their
  /// sizes, as a lower cost is better. If the signs differ or one is zero, it is the difference as
  /// a share of the mean size. Both totals must be of equally many samples; without influences,
  /// nothing is known.
  PairedTest(const Total &ours, const Total &theirs);

  /// Both are 0 without pairs.
  [[nodiscard]] double mean() const { return mean_; }
  [[nodiscard]] double standard_error() const;
  /// Variance of a pair as a share of ours, with correlation left out.
  [[nodiscard]] double variance_by_ours() const { return variance_ * scale_ * scale_; }
  /// Factor by which correlation of neighbours enlarges the variance of a mean.
  [[nodiscard]] double correlation() const { return correlation_; }

  /// The lower limit of the lead. The probability that the lead is ever outside of the two limits
  /// is at most `error_probability`. The noise is a share of theirs: of the one that may be behind.
  [[nodiscard]] double at_least(double error_probability, const KnownNoise &known = {}) const {
    return mean_ - radius(1, error_probability, known);
  }
  /// The upper limit of the lead. The noise is a share of ours.
  [[nodiscard]] double at_most(double error_probability, const KnownNoise &known = {}) const {
    return mean_ + radius(scale_, error_probability, known);
  }
  /// The mean with both limits, which are infinite if there are too few pairs.
  [[nodiscard]] Estimate estimate(double error_probability) const;

private:
  [[nodiscard]] double radius(double scale, double error_probability,
                              const KnownNoise &known) const;

  double mean_ = 0, variance_ = 0;
  double pairs_ = 0, freedom_ = 0;
  double correlation_ = 1;
  double scale_ = 1; ///< Factor that expresses noise as a share of ours.
};

/// Tests the trimmed mean of samples, so that bursts of foreign load do not count.
///
/// Trimming enters as in J. W. Tukey and D. H. McLaughlin, "Less vulnerable confidence and
/// significance procedures for location based on a single sample", Sankhya A 25, 1963: the
/// deviation is that of the winsorised samples, divided by the share that is left, and the trimmed
/// samples are no degrees of freedom. Exact for normal noise of unknown variance where nothing is
/// trimmed. Requires at least one sample.
PairedTest always_valid_mean(std::span<const double> samples);

} // namespace sartor

#endif
