// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/mutex.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

namespace sartor::engine {

namespace {

struct Known {
  std::mutex mutex;
  std::set<Mutex *> mutexes;
};

Known &known() {
  static auto *instance = new Known; // static objects may be destroyed at any time
  return *instance;
}

} // namespace

Mutex::Mutex() {
  const std::lock_guard lock(known().mutex);
  known().mutexes.insert(this);
}

Mutex::~Mutex() {
  const std::lock_guard lock(known().mutex);
  known().mutexes.erase(this);
}

// All or none: waiting for one while holding others would need an order among all.
void lock_all_mutexes() {
  for (;;) {
    known().mutex.lock();
    const auto &all = known().mutexes;
    const auto taken = std::ranges::find_if_not(all, [](Mutex *one) { return one->try_lock(); });
    if (taken == all.end())
      return;
    std::for_each(all.begin(), taken, [](Mutex *one) { one->unlock(); });
    known().mutex.unlock();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

void unlock_all_mutexes() {
  for (Mutex *one : known().mutexes)
    one->unlock();
  known().mutex.unlock();
}

} // namespace sartor::engine
