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

/// What the trials of an exploration have shown of an objective's bounds: what surely breaks one,
/// by all of them, and what it comes to, by those of equally long blocks. For use by one thread.
class BoundsSeen {
public:
  explicit BoundsSeen(const Objective &objective)
      : limits_(objective.bounds.begin(), objective.bounds.end()) {}

  void add(const Trial &trial, bool is_block);
  void clear();

  [[nodiscard]] const std::vector<Limit> &limits() const { return limits_; }
  /// Whether it surely breaks one.
  [[nodiscard]] bool is_out(const Configuration &configuration) const {
    return out_.contains(configuration);
  }
  /// Whether it surely keeps all.
  [[nodiscard]] bool are_surely_kept(const Configuration &configuration,
                                     double error_probability) const;
  /// Of one bound.
  [[nodiscard]] std::vector<BoundReading> readings(const Configuration &configuration,
                                                   std::size_t bound) const;
  /// How many times as bad a trial by itself is as its worst bound allows; at most 1 where all are
  /// kept.
  [[nodiscard]] double excess_of(const Trial &trial) const;

private:
  std::vector<Limit> limits_;
  std::unordered_set<Configuration> out_;
  /// By configuration and bound.
  std::unordered_map<Configuration, std::vector<std::vector<BoundReading>>> seen_;
};

} // namespace sartor

#endif
