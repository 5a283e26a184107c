// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/verify/first_comparisons.h"

#include <chrono>
#include <thread>

#include <x86intrin.h>

#include "runtime/impl.h"

namespace sartor {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenLooks = 2ms;
// The share of the time that comparisons take is measured over so long.
constexpr std::chrono::milliseconds kPeriod = 20ms;
// A smaller share does not matter.
constexpr double kSmallShare = 0.005;
// The wait ends after this, whatever the comparisons take.
constexpr std::chrono::seconds kLongest = 10s;

} // namespace

bool FirstComparisons::wait(const std::stop_token &stop) const {
  const auto look = [&] {
    const base::MutexLock lock(impl_.mutex);
    return impl_.verifier.first_calls();
  };
  const auto begin = Clock::now();
  auto since = begin;
  std::uint64_t ticks_since = __rdtsc();
  Verifier::FirstCalls before = look();
  while (before.are_due && Clock::now() - begin < kLongest) {
    if (stop.stop_requested())
      return false;
    std::this_thread::sleep_for(kBetweenLooks);
    const Verifier::FirstCalls now = look();
    if (!now.are_due)
      return true;
    const auto time = Clock::now();
    if (now.is_busy) { // what it takes is counted when it ends
      since = time;
      continue;
    }
    if (time - since < kPeriod)
      continue;
    const std::uint64_t ticks = __rdtsc();
    const auto share =
        static_cast<double>(now.ticks - before.ticks) / static_cast<double>(ticks - ticks_since);
    if (share < kSmallShare)
      return true;
    before = now;
    since = time;
    ticks_since = ticks;
  }
  return true;
}

} // namespace sartor
