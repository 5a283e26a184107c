// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_ECONOMY_BALANCE_H
#define SARTOR_TUNER_ECONOMY_BALANCE_H

#include <optional>

#include <sartor/economy.hpp>

#include "runtime/assumptions/quasi_invariant_record.h"
#include "tuner/evidence/interval.h"

namespace sartor {

/// Number of terms of the inequality that share the error probability.
inline constexpr double kTerms = 3;

/// Measurements of a quasi-invariant and of a program with it.
struct QuasiInvariantEvidence {
  runtime::QuasiInvariantRecord record;
  std::optional<Estimate> gain; ///< Economy::gain, at its share of the error.
  // A second of the program, with the quasi-invariant valid and without it.
  double calls_with = 0;
  double calls_without = 0;
  double processors = 0; ///< Without it.
  double asked = 0;      ///< Stores with it that ask a write guard,
  double asking = 0;     ///< and the seconds that each of them takes.
};

/// Mean time between invalidations that occur at random, from their number in a time. The interval
/// holds at the error probability (H. Chernoff, "A measure of asymptotic efficiency for tests of a
/// hypothesis based on the sum of observations", Annals of Mathematical Statistics 23, 1952).
/// Without an invalidation the interval has no upper end, and the mean is the time itself.
Estimate seconds_between(std::uint64_t invalidations, double seconds, double error_probability);

struct BalanceError {
  double probability = 0.05; ///< Probability that any term is outside of its interval in any look.
  double looks = 1;          ///< Maximum number of looks.
};

/// Fills in the terms of the inequality, its verdict, and what is missing for a sure one.
void balance(Economy &economy, const QuasiInvariantEvidence &seen, BalanceError error);

} // namespace sartor

#endif
