// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_DISPATCH_ROTATION_BLOCK_H
#define SARTOR_RUNTIME_DISPATCH_ROTATION_BLOCK_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/per_thread.h"
#include "core/compiler/rotation_block.h"
#include "runtime/dispatch/rotation_plan.h"

namespace sartor::runtime {

/// One thread's part in a rotation: whose turn it is, the account of what turns have cost, and the
/// samples that nobody has taken yet. Members without a comment on threads are for the thread that
/// owns it. Lives in zeroed pages of its own, so that a signal handler may be the one who needs it.
///
/// A round gives each lane one turn, in random order. A turn is a few calls to warm caches and
/// predictors, then a batch of calls that is measured. The excess of a turn over what the incumbent
/// would have taken is a debt: while it is more than the plan's budget of all ticks so far, the
/// incumbent gets batches that are not recorded.
class RotationBlock : public core::RotationBlock, public base::ThreadBlock<RotationBlock> {
public:
  /// What `armed` is while no plan is in force: no plan's number.
  static constexpr std::uint64_t kIdle = 1;
  /// Samples that wait to be taken; more are dropped.
  static constexpr std::size_t kRing = 1024;

  RotationBlock(std::uint16_t number, std::uint64_t timer_ticks);

  /// The plan that `code` is of.
  [[nodiscard]] std::uint64_t plan() const { return plan_; }
  /// Begins with a plan, or goes on with it.
  void enter(const RotationPlan &plan);
  /// The batch is over: records it, and begins the next.
  void next(const RotationPlan &plan);
  /// Ends what is under way, for a thread that goes.
  void leave();

  /// Any one thread: removes the oldest sample.
  bool take(RotationSample &sample);

  /// What stubs see of it.
  [[nodiscard]] void *shown() { return static_cast<core::RotationBlock *>(this); }
  static RotationBlock *of(void *shown) {
    return static_cast<RotationBlock *>(static_cast<core::RotationBlock *>(shown));
  }
  [[nodiscard]] std::size_t bytes() const { return sizeof *this; }

private:
  enum class Turn : std::uint8_t { warming, measured, unrecorded };

  void shuffle(std::size_t from);
  void begin_round();
  void begin_turn(const RotationPlan &plan);
  void begin_batch(const RotationPlan &plan, std::size_t lane, Turn turn, std::int64_t calls);
  void settle(const RotationPlan &plan, std::size_t lane, std::uint64_t ticks, std::int64_t calls);
  void record(const RotationPlan &plan, std::size_t lane);
  void size_batches();
  [[nodiscard]] bool has_room(std::size_t samples) const;
  [[nodiscard]] std::uint64_t net_ticks(std::uint64_t ticks, std::int64_t calls) const;

  std::uint64_t plan_;
  std::uint64_t round_;
  std::uint64_t random_;
  std::uint64_t timer_ticks_;  ///< What timing a call adds to it.
  double incumbent_ticks_;     ///< Per call; 0 while not known.
  double credit_;              ///< In ticks: the budget so far less the excess; below 0 is a debt.
  std::uint64_t round_began_;  ///< Time stamp.
  std::int64_t round_calls_;   ///< Calls since then.
  std::uint64_t calls_so_far_; ///< Under this plan.
  std::int64_t batch_calls_;   ///< Measured calls of a batch.
  std::int64_t calls_;         ///< That the batch under way began with.
  Turn turn_;
  std::uint16_t number_;
  std::size_t position_; ///< In `order_`: whose turn it is, or comes after unrecorded batches.
  std::size_t lanes_;
  std::array<std::uint8_t, kMostLanes> order_;

  alignas(64) std::atomic<std::uint64_t> written_{0}; ///< By the owner, over all time.
  alignas(64) std::atomic<std::uint64_t> taken_{0};   ///< By the reader.
  alignas(64) std::array<RotationSample, kRing> ring_;
};

} // namespace sartor::runtime

#endif
