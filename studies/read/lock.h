// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef READ_LOCK_H
#define READ_LOCK_H

#include <sched.h>

namespace files {

/// A lock for a few instructions; holders must not wait.
class SpinLock {
public:
  void lock() {
    while (__atomic_exchange_n(&held_, true, __ATOMIC_ACQUIRE))
      sched_yield();
  }
  void unlock() { __atomic_store_n(&held_, false, __ATOMIC_RELEASE); }

private:
  bool held_ = false;
};

} // namespace files

#endif
