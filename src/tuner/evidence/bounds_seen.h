// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_EVIDENCE_BOUNDS_SEEN_H
#define SARTOR_TUNER_EVIDENCE_BOUNDS_SEEN_H

#include <cstddef>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <sartor/objective.hpp>
#include <sartor/strategy.hpp>

#include "tuner/evidence/limit.h"

namespace sartor {

/// Results of an exploration's trials for the bounds of an objective: which configurations surely
/// break one, from all trials, and the values of the bounded quantities, from blocks of equal
/// length. For use by one thread.
class BoundsSeen {
public:
  explicit BoundsSeen(const Objective &objective)
      : limits_(objective.bounds.begin(), objective.bounds.end()) {}

  void add(const Trial &trial, bool is_block);
  void clear();

  [[nodiscard]] const std::vector<Limit> &limits() const { return limits_; }
  /// True if the configuration surely breaks a bound.
  [[nodiscard]] bool is_out(const Configuration &configuration) const {
    return out_.contains(configuration);
  }
  /// True if the configuration surely keeps all bounds.
  [[nodiscard]] bool are_surely_kept(const Configuration &configuration,
                                     double error_probability) const;
  /// Samples of one bound.
  [[nodiscard]] std::vector<BoundSample> measured_samples(const Configuration &configuration,
                                                          std::size_t bound) const;
  /// Ratio of a single trial's value to what its worst bound allows; at most 1 if all bounds are
  /// kept.
  [[nodiscard]] double excess_of(const Trial &trial) const;

private:
  std::vector<Limit> limits_;
  std::unordered_set<Configuration> out_;
  /// By configuration and bound.
  std::unordered_map<Configuration, std::vector<std::vector<BoundSample>>> seen_;
};

} // namespace sartor

#endif
