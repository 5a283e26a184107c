// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_ECONOMY_BALANCE_H
#define SARTOR_TUNER_ECONOMY_BALANCE_H

#include <optional>

#include <sartor/economy.hpp>

#include "runtime/assumptions/fact_record.h"
#include "tuner/evidence/interval.h"

namespace sartor {

/// How many terms of the inequality share the error probability.
inline constexpr double kTerms = 3;

/// What is known of a fact and of a program with it.
struct SeenOfFact {
  runtime::FactRecord record;
  std::optional<Estimate> gain; ///< As Economy::gain, at its share of the error.
  // A second of the program's, with the fact in force and without it.
  double calls_with = 0;
  double calls_without = 0;
  double processors = 0; ///< Without it.
  double asked = 0;      ///< With it: stores that asked, ...
  double asking = 0;     ///< ... and the seconds that each took.
};

/// How many seconds there are between breaks that come at random, of which so many came in so long:
/// the interval holds at the error probability (H. Chernoff, "A measure of asymptotic efficiency
/// for tests of a hypothesis based on the sum of observations", Annals of Mathematical Statistics
/// 23, 1952). Without a break it has no upper end, and the mean is the time itself.
Estimate seconds_between(std::uint64_t breaks, double seconds, double error_probability);

struct BalanceError {
  double probability = 0.05; ///< That any term is outside of its interval, in all looks.
  double looks = 1;          ///< How many there are at most.
};

/// Fills in the terms, and which way they come out.
void balance(Economy &economy, const SeenOfFact &seen, BalanceError error);

} // namespace sartor

#endif
