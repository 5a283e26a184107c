// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_VERIFY_FIRST_CALLS_LIMIT_H
#define SARTOR_RUNTIME_VERIFY_FIRST_CALLS_LIMIT_H

#include <atomic>
#include <cstdint>

#include <x86intrin.h>

namespace sartor::runtime {

/// Limits the time that comparing the first calls of all variants of a runtime takes: programs with
/// thousands of variants would become slow. In ticks of the time stamp counter. Thread-safe.
class FirstCallsLimit {
public:
  /// True if the first calls of more variants are not to be compared now.
  [[nodiscard]] bool is_reached() const {
    const std::uint64_t spent = spent_.load(std::memory_order_relaxed);
    return spent > kFree && (spent - kFree) * kOneIn > __rdtsc() - begin_;
  }
  void spend(std::uint64_t ticks) { spent_.fetch_add(ticks, std::memory_order_relaxed); }

private:
  static constexpr std::uint64_t kFree = 500'000'000; // about 0.2 s
  static constexpr std::uint64_t kOneIn = 50;         // and then 2 % of the time

  const std::uint64_t begin_ = __rdtsc();
  std::atomic<std::uint64_t> spent_ = 0;
};

} // namespace sartor::runtime

#endif
