// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_MEASURE_CALL_RECORD_H
#define SARTOR_TUNER_MEASURE_CALL_RECORD_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "runtime/dispatch/rotation_plan.h"
#include "tuner/evidence/totals.h"

namespace sartor {

/// Batches of one rotation plan, by lane, as samples: calls by ticks, and the number of ticks. A
/// value type.
class CallRecord {
public:
  CallRecord() = default;
  CallRecord(std::uint64_t plan, std::size_t lanes) : plan_(plan), lanes_(lanes) {}

  [[nodiscard]] std::size_t lanes() const { return lanes_.size(); }
  /// Adds a sample. False if it is of another plan.
  bool add(const runtime::RotationSample &sample);
  /// All batches of a lane.
  [[nodiscard]] std::span<const Sample> of(std::size_t lane) const { return lanes_[lane].all; }
  /// Batches of a lane and of lane 0 that the same thread ran in the same round.
  struct Pairs {
    std::span<const Sample> ours, incumbents; ///< Both have the same size.
  };
  [[nodiscard]] Pairs pairs(std::size_t lane) const {
    return {lanes_[lane].ours, lanes_[lane].incumbents};
  }
  /// Calls of the handler under this plan, by all threads, measured or not.
  [[nodiscard]] std::uint64_t calls() const;
  /// Discards all batches. Current rounds continue.
  void clear();

private:
  struct Lane {
    std::vector<Sample> all, ours, incumbents;
  };
  struct Thread {
    std::uint64_t round = 0;                  ///< The latest,
    std::vector<std::optional<Sample>> batch; ///< and its batches so far, by lane.
    std::uint64_t calls = 0;
  };

  std::uint64_t plan_ = 0;
  std::vector<Lane> lanes_;
  std::unordered_map<std::uint16_t, Thread> threads_;
};

} // namespace sartor

#endif
