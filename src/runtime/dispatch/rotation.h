// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_DISPATCH_ROTATION_H
#define SARTOR_RUNTIME_DISPATCH_ROTATION_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/per_thread.h"
#include "base/result.h"
#include "runtime/codemem/code.h"
#include "runtime/dispatch/entry.h"
#include "runtime/dispatch/rotation_block.h"
#include "runtime/dispatch/rotation_plan.h"

namespace sartor::runtime {

/// Times variants by calls: while it is on, the entry leads to a stub that has each calling thread
/// take the lanes of a plan in turns, for a batch of calls each, and writes down what they took.
/// Threads go their own ways, in random order, so that variants run side by side.
///
/// start(), stop() and the destructor belong to whoever holds the runtime's lock; no call may be
/// under way or come any more when it is destroyed.
class Rotation {
public:
  /// `entry` must outlive it. Fails with bad_objective when too many handlers of this process have
  /// been rotated that still exist.
  static Result<std::unique_ptr<Rotation>> create(Entry &entry);
  ~Rotation();
  Rotation(const Rotation &) = delete;
  Rotation &operator=(const Rotation &) = delete;

  /// What the stub is to be made for, and the stub; before the first start().
  [[nodiscard]] core::RotationSite site();
  void set_stub(std::unique_ptr<Code> stub) { stub_ = std::move(stub); }

  /// Rotates these from now on, in place of what was rotated; null stands for the generic code. The
  /// first is the incumbent: others may cost up to the share `budget` of all ticks over what it
  /// would have taken. From 1 to kMostLanes of them. Gives the plan's number, which samples have.
  std::uint64_t start(const std::vector<VariantRef> &lanes, double budget);
  /// Leads the entry to what is in force again.
  void stop();
  /// Null while it is off.
  [[nodiscard]] const RotationPlan *plan() const { return plan_.get(); }

  /// Gives a lane turns from the next one on, or none. The incumbent stays. With the lock too.
  void set_out(std::size_t lane, bool is_out);
  /// Moves what threads have written down into `samples`, of older plans too; without the lock,
  /// from one thread at a time.
  void take(std::vector<RotationSample> &samples);

private:
  Rotation(Entry &entry, std::unique_ptr<base::PerThread<RotationBlock>> blocks);

  // What the stub calls; both are safe in a signal handler.
  static void *enter(void *rotation);
  static void next(void *rotation, core::RotationBlock *block);
  /// A block for this thread: one whose thread has ended, or a new one; null without memory.
  RotationBlock *acquire();

  Entry &entry_;
  std::uint64_t timer_ticks_;
  std::unique_ptr<Code> stub_;
  std::shared_ptr<RotationPlan> plan_;

  /// Both as threads see them: the number is written last, and changes with every start() and
  /// stop().
  std::atomic<const RotationPlan *> current_{nullptr};
  alignas(64) std::uint64_t number_;
  const std::unique_ptr<base::PerThread<RotationBlock>> blocks_;
  std::atomic<std::uint32_t> blocks_made_{0};
};

} // namespace sartor::runtime

#endif
