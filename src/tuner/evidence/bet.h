// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_EVIDENCE_BET_H
#define SARTOR_TUNER_EVIDENCE_BET_H

#include <vector>

namespace sartor {

/// A bet that numbers have a mean above zero, which are never less than -`worst`: future numbers
/// may be that bad, so that rare disasters are allowed for before the first. A value type.
///
/// I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting", JRSS B
/// 86, 2024, section 4; the stakes are mixed, as in T. M. Cover, "Universal Portfolios",
/// Mathematical Finance 1, 1991.
struct Bet {
  std::vector<double> by = {}; ///< The numbers, each times its weight.
  /// The numbers without their weights, by which dependence is found: on a loaded machine, how much
  /// work a sample has depends on the one before, and how fast it was need not.
  std::vector<double> each = {};
  double worst = 1;

  /// The logarithm of the wealth of a gambler who begins with 1, and bets once in each independent
  /// block. If the mean is not above zero, this exceeds log(1/p) with probability p at most,
  /// however often one looks.
  [[nodiscard]] double log_wealth() const;
};

} // namespace sartor

#endif
