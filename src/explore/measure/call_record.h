// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_EXPLORE_MEASURE_CALL_RECORD_H
#define SARTOR_EXPLORE_MEASURE_CALL_RECORD_H

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "dispatch/rotation_plan.h"

namespace sartor {

/// The mean of the middle half of the samples, which interruptions of single batches do not reach.
/// Requires at least one.
double middle_of(std::vector<double> samples);

/// What the batches of one plan have taken, lane against incumbent, paired by thread and round. A
/// value.
class CallRecord {
public:
  CallRecord() = default;
  CallRecord(std::uint64_t plan, std::size_t lanes) : plan_(plan), behind_(lanes) {}

  [[nodiscard]] std::size_t lanes() const { return behind_.size(); }
  /// Whether the sample is of this plan.
  bool add(const dispatch::RotationSample &sample);
  /// How far a lane is behind lane 0, as the log of the ratio of ticks per call; one for each
  /// round of a thread. Of lane 0, the log of its own ticks per call.
  [[nodiscard]] const std::vector<double> &of(std::size_t lane) const { return behind_[lane]; }
  /// Forgets what of() gives. Rounds under way go on.
  void clear();

private:
  struct Round {
    std::uint64_t number = 0;
    std::vector<double> cost; ///< Log of the ticks per call, by lane; NaN: not seen yet.
  };

  std::uint64_t plan_ = 0;
  std::vector<std::vector<double>> behind_;
  std::unordered_map<std::uint16_t, Round> rounds_; ///< The latest, by thread.
};

} // namespace sartor

#endif
