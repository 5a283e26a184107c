// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_MAKING_H
#define SARTOR_RUNTIME_ASSUMPTIONS_MAKING_H

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <unordered_map>

#include "base/thread/mutex.h"

namespace sartor::runtime {

/// The time spent making variants, for each quasi-invariant that they depend on: a variant that
/// depends on several is counted for each. The number of a quasi-invariant changes; variants that
/// were begun under an earlier number still count. Thread-safe.
class Making {
public:
  struct Taken {
    std::uint64_t variants = 0;
    std::chrono::nanoseconds time{};
  };
  static Making &instance();

  /// Records that the number of a quasi-invariant is `now`; it was `before`, or is new if that is
  /// 0.
  void number(std::uint64_t before, std::uint64_t now);
  void forget(std::uint64_t number);
  void note(std::span<const std::uint64_t> invariants, std::chrono::nanoseconds time);
  [[nodiscard]] Taken of(std::uint64_t number) const;

private:
  struct Known {
    Taken taken;
    std::deque<std::uint64_t> numbers; ///< The latest numbers, in order.
  };

  mutable base::Mutex mutex_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Known>> by_number_ SARTOR_GUARDED_BY(mutex_);
};

} // namespace sartor::runtime

#endif
