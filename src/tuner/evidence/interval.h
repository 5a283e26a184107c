// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_EVIDENCE_INTERVAL_H
#define SARTOR_TUNER_EVIDENCE_INTERVAL_H

#include <vector>

namespace sartor {

/// Median; for an even number of samples, the upper of the two middle ones. Requires at least one.
double median(std::vector<double> samples);

/// Mean of the middle half of the samples, which is robust against interruptions of a few. Requires
/// at least one.
double middle_of(std::vector<double> samples);

/// An estimate of the standard deviation that outliers cannot move: the median absolute deviation
/// from the median, scaled to agree with it for normal noise. Zero if most samples are equal.
double robust_deviation(const std::vector<double> &samples);

/// How much better the score `a` is than `b`: the log of their ratio, in which a slowdown of both
/// by the same factor cancels. For two negative scores, the ratio is that of their sizes: a lower
/// cost is better. If the signs differ or one is zero, there is no ratio; then it is the difference
/// as a share of the mean size, which agrees for small differences and is at most 2.
double advantage(double a, double b);

/// How many times as good the score `a` is as `b`: exp(advantage(a, b)), but 0 if `a` is not
/// positive and `b` is. NaN if either is NaN.
double times_as_good(double a, double b);

/// The inverse of advantage(): the score that is better than `b` by `advantage`.
double better_by(double advantage, double b);

/// A mean that bursts of foreign load cannot move, and the variance of samples around it.
struct RobustMean {
  double mean;
  double variance; ///< Variance of a sample; divide by the number of samples for that of the mean.
                   ///< 0 for one.
};

/// One step of Huber's M-estimator from the median (P. J. Huber, "Robust Statistics", 1981, section
/// 6.7): samples count for no more than 2.5 deviations. `deviation` is a known lower limit of the
/// deviation, used if these samples show less. Requires at least one sample.
RobustMean robust_mean(const std::vector<double> &samples, double deviation);

/// Distance between the mean of `n` normal samples and the true mean, if their variance has been
/// estimated with `freedom` degrees of freedom. The error probability holds for all sample sizes at
/// once: one may look after every sample and stop at any time. `likely` is the expected size of the
/// difference: differences of about that size are settled soonest, at the price of a somewhat wider
/// bound for others.
///
/// The bound inverts the t-test whose effect size is mixed over a normal prior (T. L. Lai, "On
/// confidence sequences", Annals of Statistics 4, 1976; H. Wang and A. Ramdas, "Anytime-valid
/// t-tests and confidence sequences for Gaussian means with unknown variance", Sequential Analysis
/// 44, 2025, Gaussian mixture).
double always_valid_radius(double variance, double n, double freedom, double error_probability,
                           double likely = 0);

struct MeanInterval {
  double mean;
  double radius; ///< Infinite while there are too few samples.
};

} // namespace sartor

#endif
