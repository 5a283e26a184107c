// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/life.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>
#include <unistd.h>

#include "base/readers.h"
#include "base/reports.h"
#include "base/thread/mutex.h"
#include "base/thread/own_stack.h"

namespace sartor::base {

namespace {

/// Total time for which exit() waits for work that cannot be stopped.
constexpr std::chrono::seconds kExitPatience{3};
constexpr int kMostExitHooks = 4;

struct House {
  UnwatchedMutex<std::recursive_mutex> mutex; ///< Also held from before a fork until after it.
  std::set<Resident *> residents SARTOR_GUARDED_BY(mutex);
  std::vector<std::shared_ptr<const void>> kept SARTOR_GUARDED_BY(mutex);
  pid_t forked_by SARTOR_GUARDED_BY(mutex) = 0;
};

House &house() {
  static auto *instance = new House; // never destroyed: used while everything else is destroyed
  return *instance;
}

std::atomic<bool> exiting = false;
std::atomic<unsigned> forks_so_far = 0;
std::atomic<unsigned> ancestors = 0;

void begin_exit() {
  if (exiting.exchange(true))
    return;
  House &here = house();
  MutexLock lock(here.mutex);
  for (Resident *resident : here.residents)
    resident->exit_begins();
  const auto runs = [](Resident *resident) { return !resident->has_ended(); };
  const auto end = std::chrono::steady_clock::now() + kExitPatience;
  while (std::ranges::any_of(here.residents, runs) && std::chrono::steady_clock::now() < end) {
    lock.unlock(); // a resident that ends may remove other residents
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    lock.lock();
  }
  for (Resident *resident : here.residents)
    if (runs(resident))
      resident->is_left();
}

/// The main thread's thread-local objects are destroyed before all static ones, when it calls
/// exit() or returns from main(); and only then.
struct MainThreadHook {
  bool armed = false;
  ~MainThreadHook() {
    if (getpid() == gettid())
      begin_exit();
  }
};
thread_local MainThreadHook main_thread_hook;

// Only on the main thread: on others, registering the destructor could wait for a thread in
// dlopen().
void watch_main_thread() {
  if (getpid() == gettid())
    main_thread_hook.armed = true; // the first use registers its destructor
}

// Usually the library is loaded with the program. Another thread may use it first, and the main
// thread may exit while that one makes LLVM create static objects, which are destroyed before
// functions that were registered with atexit() earlier.
[[gnu::constructor]] void watch_who_loads() { watch_main_thread(); }

void before_fork() SARTOR_ACQUIRE(house().mutex) {
  house().mutex.lock();
  for (Resident *resident : house().residents)
    resident->before_fork();
  lock_all_mutexes();
  ++forks_so_far;
  OwnStack::before_fork();
  house().forked_by = getpid();
}

void after_fork_in_parent() SARTOR_RELEASE(house().mutex) {
  unlock_all_mutexes();
  for (Resident *resident : house().residents)
    resident->after_fork_in_parent();
  house().mutex.unlock();
}

void after_fork_in_child() {
  House &here = house();
  here.mutex.forget_owner(); // the owner had another number
  here.mutex.lock();
  OwnStack::after_fork_in_child();
  forget_other_readers();
  ++ancestors;
  unlock_all_mutexes();
  watch_main_thread(); // this thread is the main thread here
  report("forked", {{"parent", std::to_string(here.forked_by)}});
  for (Resident *resident : here.residents)
    resident->after_fork_in_child();
  for (Resident *resident : here.residents)
    resident->resume_in_child();
  here.mutex.unlock();
}

} // namespace

void add(Resident &resident) {
  static const bool watched = [] {
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    watch_exit();
    return true;
  }();
  (void)watched;
  watch_main_thread();
  const MutexLock lock(house().mutex);
  house().residents.insert(&resident);
}

void remove(Resident &resident) {
  const MutexLock lock(house().mutex);
  house().residents.erase(&resident);
}

unsigned forks() { return forks_so_far.load(std::memory_order_relaxed); }

unsigned generation() { return ancestors.load(std::memory_order_relaxed); }

bool is_exiting() { return exiting.load(std::memory_order_relaxed); }

void watch_exit() {
  watch_main_thread();
  static std::atomic<int> hooks = 0;
  if (hooks.fetch_add(1) < kMostExitHooks)
    std::atexit(begin_exit);
}

void keep(std::shared_ptr<const void> object) {
  const MutexLock lock(house().mutex);
  house().kept.push_back(std::move(object));
}

} // namespace sartor::base
