// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_EVIDENCE_INTERVAL_H
#define SARTOR_TUNER_EVIDENCE_INTERVAL_H

#include <cstddef>
#include <span>
#include <vector>

namespace sartor {

/// Of an even number of samples, the upper of the two in the middle. Requires at least one.
double median(std::vector<double> samples);

/// The mean of the middle half of the samples, which interruptions of a few do not reach. Requires
/// at least one.
double middle_of(std::vector<double> samples);

/// An estimate of the standard deviation that outliers cannot move: the median absolute deviation
/// from the median, scaled to agree with it for normal noise. Zero if most samples are equal.
double robust_deviation(const std::vector<double> &samples);

/// How much better the score `a` is than `b`: the log of their ratio, in which what slows both by
/// the same factor cancels. Of two negative scores, that of their sizes: less of a cost is better.
/// If the signs differ or one is zero, there is no ratio; then it is the difference as a share of
/// the mean size, which agrees for small differences and is at most 2.
double advantage(double a, double b);

/// How many times as good the score `a` is as `b`: exp(advantage(a, b)), but 0 for an `a` that is
/// not positive beside a positive `b`. Not a number if one of them is none.
double times_as_good(double a, double b);

/// The inverse of advantage(): the score that is better than `b` by so much.
double better_by(double advantage, double b);

/// A mean that bursts of foreign load cannot move, and what is known of how samples vary around it.
struct RobustMean {
  double mean;
  double variance; ///< Of a sample; that of the mean is this / samples. 0 for one.
};

/// One step of Huber's M-estimator from the median (P. J. Huber, "Robust Statistics", 1981, section
/// 6.7): samples count for no more than 2.5 deviations. `deviation` is what is known of it from
/// elsewhere, where these samples show less. Requires at least one sample.
RobustMean robust_mean(const std::vector<double> &samples, double deviation);

/// How far from the mean of `n` normal samples the true one may be, at all sample sizes at once, if
/// their variance has been estimated with so many degrees of freedom; see always_valid_mean().
/// `likely` is how far from it one expects the true one to be: differences of about that size are
/// settled soonest, for the price of a somewhat wider bound for others.
double always_valid_radius(double variance, double n, double freedom, double error_probability,
                           double likely = 0);

struct MeanInterval {
  double mean;
  double radius; ///< Infinite while there are too few samples to say anything.
};

/// The trimmed mean of samples, so that bursts of foreign load do not count, and how far from it
/// the true one may be. The error probability holds for all sample sizes at once: one may look
/// after every sample and stop when one likes.
///
/// The bound inverts the t-test whose effect size is mixed over a normal prior (T. L. Lai, "On
/// confidence sequences", Annals of Statistics 4, 1976; H. Wang and A. Ramdas,
/// "Anytime-valid t-tests and confidence sequences for Gaussian means with unknown variance",
/// Sequential Analysis 44, 2025, Gaussian mixture). Trimming enters as in J. W. Tukey and D. H.
/// McLaughlin, "Less vulnerable confidence and significance procedures for location based on a
/// single sample", Sankhya A 25, 1963: the deviation is that of the winsorised samples, enlarged by
/// the share that is left, and the trimmed samples are no degrees of freedom. Exact for normal
/// noise of unknown variance where nothing is trimmed. Requires at least one sample.
MeanInterval always_valid_mean(std::span<const double> samples, double error_probability);

} // namespace sartor

#endif
