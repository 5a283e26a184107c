// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_EVIDENCE_TOTALS_H
#define SARTOR_TUNER_EVIDENCE_TOTALS_H

#include <cstddef>
#include <span>
#include <vector>

#include <sartor/strategy.hpp>

#include "tuner/evidence/interval.h"

namespace sartor {

/// One sample of a variant: work by effort, and the amount of effort.
struct Sample {
  double score;
  double weight = 1;
  std::vector<BucketCount> requests = {};      ///< Requests of a percentile.
  std::vector<QuantitySample> quantities = {}; ///< Quantities of a weighted objective.
};

/// Overall performance of a variant: its total work by its total effort, so that a stall counts for
/// its full cost, however rare it is.
struct Total {
  double mean = 0;
  /// Influence of each sample on the mean, times the number of samples: the terms of the variance
  /// of a ratio of sums (W. G. Cochran, "Sampling Techniques", 3rd edition, section 6.3). Their sum
  /// is zero.
  std::vector<double> influences = {};
};

/// Samples must not contain NaN. Requires at least one sample.
Total total_of(std::span<const Sample> samples);
/// The mean alone; 0 without effort or without samples.
double mean_of(std::span<const Sample> samples);
/// The mean, and a bound for its distance from the true one that holds at all numbers of samples at
/// once: as always_valid_radius(), with correlation taken into account.
MeanInterval interval_of(const Total &total, double error_probability);

/// By how much `ours` is above `theirs`, as a share of theirs, from samples that were taken side by
/// side: a slowdown of both in the same round cancels.
struct Gain {
  double mean = 0;
  double variance = 0; ///< Variance of a pair, from mean to mean; divide by pairs for the gain's.
  double correlation = 1; ///< Factor by which correlation of neighbours enlarges the variance of a
                          ///< mean.
  /// Factor for `mean` and for the root of `variance` to express noise as a share of ours.
  double scale = 1;
};
/// Both totals must be of equally many samples. For two negative means, the ratio is that of their
/// sizes, as a lower cost is better. If the signs differ or one is zero, it is the difference as a
/// share of the mean size.
Gain gain_of(const Total &ours, const Total &theirs);

/// Factor by which the variance of a mean exceeds that of as many independent samples: the largest
/// value that batch means show, less their chance variation. At least 1.
double correlation_of(std::span<const double> deviations);

/// Evidence that numbers which are never less than -`worst` have a mean above zero, as the
/// logarithm of the wealth of a gambler who bets on it and begins with 1. If the mean is not above
/// zero, this exceeds log(1/p) with probability p at most, however often one looks. Future numbers
/// may be as bad as `worst`, so that rare disasters are allowed for before the first.
///
/// I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting", JRSS B
/// 86, 2024, section 4; the stakes are mixed, as in T. M. Cover, "Universal Portfolios",
/// Mathematical Finance 1, 1991.
double log_wealth(std::span<const double> numbers, double worst);

/// The same of numbers with weights that may depend on each other, in independent blocks. `each`
/// are the numbers without their weights, by which dependence is found: on a loaded machine, how
/// much work a sample has depends on the one before, and how fast it was need not.
double log_wealth(std::span<const double> weighted, std::span<const double> each, double worst);

/// Number of neighbours in a block that is independent of the next: the smallest power of two from
/// which on no correlation is detected, with at least a dozen blocks.
std::size_t independent_block(std::span<const double> numbers);

} // namespace sartor

#endif
