// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/thread/mutex.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

namespace sartor::base {

namespace {

constexpr int kMostTries = 100;
/// Time for which a thread that takes a lock lets a fork() go first.
constexpr std::chrono::microseconds kWay{100};

struct Known {
  UnwatchedMutex<std::mutex> mutex;
  std::set<Mutex *> mutexes SARTOR_GUARDED_BY(mutex);
};

Known &known() {
  static auto *instance =
      new Known; // never destroyed, because static objects may be destroyed at any time
  return *instance;
}

} // namespace

Mutex::Mutex() {
  const MutexLock lock(known().mutex);
  known().mutexes.insert(this);
}

Mutex::~Mutex() {
  const MutexLock lock(known().mutex);
  known().mutexes.erase(this);
}

// The C library stores the owner when the lock is taken.
bool Mutex::is_held_by(pid_t thread) {
  return __atomic_load_n(&mutex_.native_handle()->__data.__owner, __ATOMIC_RELAXED) == thread;
}

bool holds_any_mutex(pid_t thread) {
  // The stopped thread itself may hold the lock of the list.
  for (int tries = 0; !known().mutex.try_lock(); ++tries) {
    if (tries == kMostTries)
      return true;
    std::this_thread::yield();
  }
  const bool holds =
      std::ranges::any_of(known().mutexes, [&](Mutex *one) { return one->is_held_by(thread); });
  known().mutex.unlock();
  return holds;
}

std::atomic<bool> Mutex::fork_waits = false;

void Mutex::make_way() { std::this_thread::sleep_for(kWay); }

// Takes all or none: waiting for one while holding others would need a total order. Not analyzed,
// because the number of locks is not known statically.
SARTOR_NO_THREAD_SAFETY_ANALYSIS void lock_all_mutexes() {
  for (;;) {
    known().mutex.lock();
    const auto &all = known().mutexes;
    const auto taken = std::ranges::find_if_not(
        all, [](Mutex *one) SARTOR_NO_THREAD_SAFETY_ANALYSIS { return one->try_lock(); });
    if (taken == all.end()) {
      Mutex::fork_waits = false;
      return;
    }
    Mutex::fork_waits = true;
    std::for_each(all.begin(), taken,
                  [](Mutex *one) SARTOR_NO_THREAD_SAFETY_ANALYSIS { one->unlock(); });
    known().mutex.unlock();
    std::this_thread::yield();
  }
}

// Not analyzed, for the same reason as lock_all_mutexes().
SARTOR_NO_THREAD_SAFETY_ANALYSIS void unlock_all_mutexes() {
  for (Mutex *one : known().mutexes)
    one->unlock();
  known().mutex.unlock();
}

} // namespace sartor::base
