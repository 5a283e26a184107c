// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_DISPATCH_ROTATION_H
#define SARTOR_RUNTIME_DISPATCH_ROTATION_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "base/thread/per_thread.h"
#include "runtime/codemem/code.h"
#include "runtime/dispatch/entry.h"
#include "runtime/dispatch/rotation_block.h"
#include "runtime/dispatch/rotation_plan.h"

namespace sartor::runtime {

/// Measures variants by calls. While it is on, the entry points to a stub that makes each calling
/// thread use the lanes of a plan in turns, for a batch of calls each, and records their durations.
/// Each thread has its own random order, so that variants run at the same time.
///
/// The caller of start(), stop() and the destructor must hold the runtime's lock; when it is
/// destroyed, no call may be running or begin any more.
class Rotation {
public:
  /// `entry` must outlive it. Fails with bad_objective if too many rotated handlers exist in this
  /// process.
  static Result<std::unique_ptr<Rotation>> create(Entry &entry);
  ~Rotation();
  Rotation(const Rotation &) = delete;
  Rotation &operator=(const Rotation &) = delete;

  /// The parameters of the stub, and the stub itself, to be set before the first start().
  [[nodiscard]] core::RotationSite site();
  void set_stub(std::unique_ptr<Code> stub) { stub_ = std::move(stub); }

  /// Rotates these variants from now on, in place of the previous ones; null stands for the generic
  /// code. The first is the incumbent: the others may cost up to the share `budget` of all ticks
  /// more than the incumbent would have taken. There are 1 to kMostLanes of them. Returns the
  /// plan's number, which samples contain.
  std::uint64_t start(const std::vector<VariantRef> &lanes, double budget);
  /// Ends the rotation: the entry points to the active variant again.
  void stop();
  /// Null while it is off.
  [[nodiscard]] const RotationPlan *plan() const { return plan_.get(); }

  /// Excludes a lane from the next turn on, or includes it. The incumbent cannot be excluded. The
  /// runtime's lock must be held.
  void set_out(std::size_t lane, bool is_out);
  /// Moves the samples that threads have recorded to `samples`, including those of older plans.
  /// Takes no lock; one thread at a time may call it.
  void take(std::vector<RotationSample> &samples);

private:
  Rotation(Entry &entry, std::unique_ptr<base::PerThread<RotationBlock>> blocks);

  // Called by the stub; both are safe in a signal handler.
  static void *enter(void *rotation);
  static void next(void *rotation, core::RotationBlock *block);
  /// Returns a block for this thread: that of a thread which has ended, or a new one; null if
  /// memory is exhausted.
  RotationBlock *acquire();

  Entry &entry_;
  std::uint64_t timer_ticks_;
  std::unique_ptr<Code> stub_;
  std::shared_ptr<RotationPlan> plan_;

  /// Read by calling threads: the number is written last, and changes with every start() and
  /// stop().
  std::atomic<const RotationPlan *> current_{nullptr};
  alignas(64) std::uint64_t number_;
  const std::unique_ptr<base::PerThread<RotationBlock>> blocks_;
  std::atomic<std::uint32_t> blocks_made_{0};
};

} // namespace sartor::runtime

#endif
