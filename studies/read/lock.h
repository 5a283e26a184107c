// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef READ_LOCK_H
#define READ_LOCK_H

#include <sched.h>

namespace files {

/// Handlers try these locks and never wait for one: who stores to a watched field waits for
/// handlers, and may hold one. A word that is inlined, so that generic code is as good as it gets.
class Lock {
public:
  bool try_lock() { return !__atomic_exchange_n(&held_, true, __ATOMIC_ACQUIRE); }
  void lock() {
    while (!try_lock())
      sched_yield();
  }
  void unlock() { __atomic_store_n(&held_, false, __ATOMIC_RELEASE); }

private:
  bool held_ = false;
};

/// By many who read, or one who writes and has precedence.
class SharedLock {
public:
  bool try_lock_shared() {
    if ((__atomic_fetch_add(&word_, 1, __ATOMIC_ACQUIRE) & kWriter) == 0)
      return true;
    unlock_shared();
    return false;
  }
  void lock_shared() {
    while (!try_lock_shared())
      sched_yield();
  }
  void unlock_shared() { __atomic_fetch_sub(&word_, 1, __ATOMIC_RELEASE); }

  void lock() {
    while ((__atomic_fetch_or(&word_, kWriter, __ATOMIC_ACQUIRE) & kWriter) != 0)
      sched_yield();
    while (__atomic_load_n(&word_, __ATOMIC_ACQUIRE) != kWriter)
      sched_yield();
  }
  void unlock() { __atomic_fetch_and(&word_, ~kWriter, __ATOMIC_RELEASE); }

private:
  static constexpr unsigned kWriter = 1U << 31U;
  unsigned word_ = 0; ///< How many read, and whether somebody writes or is about to.
};

} // namespace files

#endif
