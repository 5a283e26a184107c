// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_DISPATCH_ROTATION_BLOCK_H
#define SARTOR_RUNTIME_DISPATCH_ROTATION_BLOCK_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/thread/per_thread.h"
#include "core/compiler/rotation_block.h"
#include "runtime/dispatch/rotation_plan.h"

namespace sartor::runtime {

/// One thread's state in a rotation: the current turn, the account of the cost of turns, and the
/// samples that have not been taken yet. Members without a comment on threads may be used by the
/// owning thread only. It is in zeroed pages of its own, so that a signal handler may create it.
///
/// A round gives each lane one turn, in random order. A turn is a few calls to warm caches and
/// predictors, then a batch of calls that is measured. The excess of a turn over the time of the
/// incumbent is a debt: while it is more than the plan's budget of all ticks so far, the incumbent
/// gets batches that are not recorded.
class RotationBlock : public core::RotationBlock, public base::ThreadBlock<RotationBlock> {
public:
  /// The value of `armed` while no plan is active; not a plan's number.
  static constexpr std::uint64_t kIdle = 1;
  /// The maximum number of samples that wait to be taken; further ones are dropped.
  static constexpr std::size_t kRing = 1024;

  RotationBlock(std::uint16_t number, std::uint64_t timer_ticks);

  /// The plan that `code` belongs to.
  [[nodiscard]] std::uint64_t plan() const { return plan_; }
  /// Begins with a plan, or continues it. `now` is a time stamp.
  void enter(const RotationPlan &plan, std::uint64_t now);
  /// Ends a batch: records it, and begins the next. `now` is a time stamp.
  void next(const RotationPlan &plan, std::uint64_t now);
  /// Ends the current batch, for a thread that ends.
  void leave();

  /// Removes the oldest sample. Any thread may call it, one at a time.
  bool take(RotationSample &sample);

  /// The part of it that stubs access.
  [[nodiscard]] void *shown() { return static_cast<core::RotationBlock *>(this); }
  static RotationBlock *of(void *shown) {
    return static_cast<RotationBlock *>(static_cast<core::RotationBlock *>(shown));
  }
  [[nodiscard]] std::size_t bytes() const { return sizeof *this; }

private:
  enum class Turn : std::uint8_t { warming, measured, unrecorded };

  void shuffle(std::size_t from);
  void begin_round(std::uint64_t now);
  void begin_turn(const RotationPlan &plan, std::uint64_t now);
  void begin_batch(const RotationPlan &plan, std::size_t lane, Turn turn, std::int64_t calls);
  void settle(const RotationPlan &plan, std::size_t lane, std::uint64_t ticks, std::int64_t calls);
  void record(const RotationPlan &plan, std::size_t lane);
  void size_batches(std::uint64_t now);
  [[nodiscard]] bool has_room(std::size_t samples) const;
  [[nodiscard]] std::uint64_t net_ticks(std::uint64_t ticks, std::int64_t calls) const;

  std::uint64_t plan_;
  std::uint64_t round_;
  std::uint64_t random_;
  std::uint64_t timer_ticks_; ///< The time that the measurement adds to a call.
  double incumbent_ticks_;    ///< The ticks per call; 0 while not known.
  double credit_;             ///< In ticks: the budget so far less the excess; negative for a debt.
  std::uint64_t round_began_; ///< A time stamp.
  std::int64_t round_calls_;  ///< The number of calls since then.
  std::uint64_t calls_so_far_; ///< The number of calls under this plan.
  std::int64_t batch_calls_;   ///< The number of measured calls in a batch.
  std::int64_t calls_;         ///< The number of calls with which the current batch began.
  Turn turn_;
  std::uint16_t number_;
  std::size_t position_; ///< The index in `order_` of the current turn, or of the turn after
                         ///< unrecorded batches.
  std::size_t lanes_;
  std::array<std::uint8_t, kMostLanes> order_;

  /// The total number of samples written by the owner.
  alignas(64) std::atomic<std::uint64_t> written_{0};
  /// The total number of samples taken by the reader.
  alignas(64) std::atomic<std::uint64_t> taken_{0};
  alignas(64) std::array<RotationSample, kRing> ring_;
};

} // namespace sartor::runtime

#endif
