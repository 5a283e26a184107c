// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_EVIDENCE_TOTALS_H
#define SARTOR_TUNER_EVIDENCE_TOTALS_H

#include <cstddef>
#include <span>
#include <vector>

#include <sartor/strategy.hpp>

#include "tuner/evidence/interval.h"

namespace sartor {

/// One reading of a variant: work by effort, and how much effort it was.
struct Sample {
  double score;
  double weight = 1;
  std::vector<BucketCount> requests = {};       ///< Of a percentile.
  std::vector<QuantityReading> quantities = {}; ///< Of a weighted objective.
};

/// What a variant did on the whole: its work by its effort, so that a stall counts for what it
/// costs, however rare it is.
struct Total {
  double mean = 0;
  /// By how much each sample moves the mean, times the number of samples: what the variance of a
  /// ratio of sums is made of (W. G. Cochran, "Sampling Techniques", 3rd edition, section 6.3).
  /// They add up to nothing.
  std::vector<double> influences = {};
};

/// Samples that are no numbers must not be among them. Requires at least one.
Total total_of(std::span<const Sample> samples);
/// Its mean alone; 0 where there was no effort, or no sample.
double mean_of(std::span<const Sample> samples);
/// The mean, and how far from it the true one may be, at all numbers of samples at once: as
/// always_valid_radius(), correlation taken into account.
MeanInterval interval_of(const Total &total, double error_probability);

/// By how much `ours` is above `theirs`, as a share of theirs, from samples that were taken side by
/// side: what slows both in the same round takes no part.
struct Gain {
  double mean = 0;
  double variance = 0;    ///< Of a pair, from mean to mean; not of the gain, which is this / pairs.
  double correlation = 1; ///< How many times as large neighbours' likeness makes that of a mean.
  /// What `mean` and the root of `variance` are to be multiplied with for noise as a share of ours.
  double scale = 1;
};
/// Both must be of equally many samples. Of two negative means, the ratio is that of their sizes,
/// as a lower cost is better. If the signs differ or one is zero, it is the difference as a share
/// of the mean size.
Gain gain_of(const Total &ours, const Total &theirs);

/// By how much the variance of a mean is more than that of as many independent samples: the most
/// that batch means show, less what they show by chance. At least 1.
double correlation_of(std::span<const double> deviations);

/// Evidence that numbers which are never less than -`worst` have a mean above zero, as the
/// logarithm of what somebody has who bets on it, with 1 to begin with: if it has not, this passes
/// log(1/p) with probability p at most, however often one looks. What has not been seen yet may be
/// as bad as `worst`, so that rare disasters are allowed for before the first.
///
/// I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting", JRSS B
/// 86, 2024, section 4; the stakes are mixed, as in T. M. Cover, "Universal Portfolios",
/// Mathematical Finance 1, 1991.
double log_wealth(std::span<const double> numbers, double worst);

/// Neighbours together, so many a block, as means; what is left over at the end is left out.
std::vector<double> in_blocks(std::span<const double> numbers, std::size_t block);

/// How many neighbours make a block that knows nothing of the next: the power of two from which on
/// correlation is not seen any more, of which there are still a dozen blocks.
std::size_t independent_block(std::span<const double> numbers);

} // namespace sartor

#endif
