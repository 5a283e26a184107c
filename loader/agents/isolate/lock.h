// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_AGENTS_ISOLATE_LOCK_H
#define SARTOR_LOADER_AGENTS_ISOLATE_LOCK_H

#include <cstdint>

#include <linux/futex.h>

#include "agents/isolate/system.h"

namespace sartor::isolate {

/// A lock for code that may use general registers only, for which <atomic> cannot be compiled. The
/// thread that holds it must not be interrupted by a signal: see NoSignals.
class Lock {
public:
  void lock() {
    int before = free;
    if (__atomic_compare_exchange_n(&state_, &before, held, false, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED))
      return;
    while (__atomic_exchange_n(&state_, awaited, __ATOMIC_ACQUIRE) != free)
      system_call(__NR_futex, reinterpret_cast<std::uint64_t>(&state_), FUTEX_WAIT_PRIVATE,
                  awaited);
  }
  void unlock() {
    if (__atomic_exchange_n(&state_, free, __ATOMIC_RELEASE) == awaited)
      system_call(__NR_futex, reinterpret_cast<std::uint64_t>(&state_), FUTEX_WAKE_PRIVATE, 1);
  }
  /// Releases the lock in a child of fork(), in which its holder may not exist.
  void reset() { state_ = free; }

private:
  static constexpr int free = 0, held = 1, awaited = 2;
  int state_ = free;
};

/// Blocks signals in this thread during its lifetime, so that no signal handler can enter a domain
/// meanwhile.
class NoSignals {
public:
  NoSignals() {
    constexpr std::uint64_t all = ~std::uint64_t{0};
    set(&all, &before_);
  }
  ~NoSignals() { set(&before_, nullptr); }
  NoSignals(const NoSignals &) = delete;
  NoSignals &operator=(const NoSignals &) = delete;

private:
  static void set(const std::uint64_t *mask, std::uint64_t *before) {
    constexpr std::uint64_t set_mask = 2; // SIG_SETMASK
    system_call(__NR_rt_sigprocmask, set_mask, reinterpret_cast<std::uint64_t>(mask),
                reinterpret_cast<std::uint64_t>(before), sizeof *mask);
  }
  std::uint64_t before_ = 0;
};

} // namespace sartor::isolate

#endif
