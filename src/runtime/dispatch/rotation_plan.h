// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_DISPATCH_ROTATION_PLAN_H
#define SARTOR_RUNTIME_DISPATCH_ROTATION_PLAN_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/dispatch/variant.h"

namespace sartor::runtime {

/// The maximum number of variants that are rotated.
constexpr std::size_t kMostLanes = 64;

/// The duration of the calls of one batch.
struct RotationSample {
  std::uint64_t plan;
  std::uint64_t round; ///< Counted by each thread's block; not reused.
  std::uint64_t ticks; ///< Ticks of the time-stamp counter, less the time that reading it takes.
  std::uint32_t calls;
  std::uint16_t lane;
  std::uint16_t thread; ///< The number of the thread's block.
  /// The calls of the thread under this plan until then, of all lanes, measured or not.
  std::uint64_t calls_so_far = 0;
};

/// The variants that are rotated, the incumbent first. Threads read it within read sections; a plan
/// that is no longer active is dropped by retire().
struct RotationPlan {
  struct Lane {
    VariantRef variant; ///< Null for the generic code.
    void *code = nullptr;
    std::atomic<bool> out = false; ///< The lane gets no turn.
  };

  RotationPlan(std::uint64_t own_number, std::size_t count, double share)
      : number(own_number), lanes(count), budget(share) {}
  ~RotationPlan();
  RotationPlan(const RotationPlan &) = delete;
  RotationPlan &operator=(const RotationPlan &) = delete;

  /// Marks for ThreadSanitizer, which does not understand grace periods, that this thread does not
  /// use the plan any more.
  void done() const;

  const std::uint64_t number; ///< Unique in this process; at least 2.
  std::vector<Lane> lanes;
  const double budget; ///< The share of ticks that lanes may cost over the incumbent's.
};

} // namespace sartor::runtime

#endif
