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

/// Samples must not contain NaN. Empty without effort or without samples.
Total total_of(std::span<const Sample> samples);
/// The mean alone; 0 without effort or without samples.
double mean_of(std::span<const Sample> samples);
/// The mean, and a bound for its distance from the true one that holds at all numbers of samples at
/// once: as always_valid_radius(), with correlation taken into account.
MeanInterval interval_of(const Total &total, double error_probability);

/// Variance of a sample, from deviations with a sum of zero. 0 for one sample.
double variance_of(std::span<const double> deviations);

/// Factor by which the variance of a mean exceeds that of as many independent samples: the largest
/// value that batch means show, less their chance variation. At least 1.
double correlation_of(std::span<const double> deviations);

/// Means of blocks of `block` neighbours each; an incomplete last block is left out.
std::vector<double> in_blocks(std::span<const double> numbers, std::size_t block);

/// Number of neighbours in a block that is independent of the next: the smallest power of two from
/// which on no correlation is detected, with at least a dozen blocks.
std::size_t independent_block(std::span<const double> numbers);

} // namespace sartor

#endif
