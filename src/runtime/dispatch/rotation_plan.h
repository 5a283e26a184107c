// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_DISPATCH_ROTATION_PLAN_H
#define SARTOR_RUNTIME_DISPATCH_ROTATION_PLAN_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/dispatch/variant.h"

namespace sartor::runtime {

/// How many variants are rotated at most.
constexpr std::size_t kMostLanes = 64;

/// What the calls of one batch took.
struct RotationSample {
  std::uint64_t plan;
  std::uint64_t round; ///< Counted by each thread's block for itself; never the same again.
  std::uint64_t ticks; ///< Of the time-stamp counter, less what reading it takes.
  std::uint32_t calls;
  std::uint16_t lane;
  std::uint16_t thread; ///< The number of the thread's block.
  /// Calls of the thread under this plan until then, of all lanes, measured or not.
  std::uint64_t calls_so_far = 0;
};

/// What is rotated: the incumbent first. Threads read it within read sections; a plan that is no
/// longer in force goes by retire().
struct RotationPlan {
  struct Lane {
    VariantRef variant; ///< Null: the generic code.
    void *code = nullptr;
    std::atomic<bool> out = false; ///< Gets no turn.
  };

  RotationPlan(std::uint64_t own_number, std::size_t count, double share)
      : number(own_number), lanes(count), budget(share) {}
  ~RotationPlan();
  RotationPlan(const RotationPlan &) = delete;
  RotationPlan &operator=(const RotationPlan &) = delete;

  /// Tells ThreadSanitizer, which cannot see how grace periods order it, that this thread has done
  /// with the plan.
  void done() const;

  const std::uint64_t number; ///< Never the same again in this process; at least 2.
  std::vector<Lane> lanes;
  const double budget; ///< The share of ticks that lanes may cost over the incumbent's.
};

} // namespace sartor::runtime

#endif
