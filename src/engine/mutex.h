// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_ENGINE_MUTEX_H
#define SARTOR_ENGINE_MUTEX_H

#include <atomic>
#include <mutex>

#include <sys/types.h>

namespace sartor::engine {

/// Before fork().
void lock_all_mutexes();

/// A lock that nobody holds in a child process: fork() waits until it has all of them. Who holds
/// one must not fork.
class Mutex {
public:
  Mutex();
  ~Mutex();
  Mutex(const Mutex &) = delete;
  Mutex &operator=(const Mutex &) = delete;

  void lock() {
    if (fork_waits.load(std::memory_order_relaxed))
      make_way(); // not for long: a lock may be held that fork() waits for
    mutex_.lock();
  }
  void unlock() { mutex_.unlock(); }
  bool try_lock() { return mutex_.try_lock(); }
  /// For std::condition_variable.
  [[nodiscard]] std::mutex &native() { return mutex_; }
  /// Of who may not wait for anybody: whether a thread, by its number, holds it.
  [[nodiscard]] bool is_held_by(pid_t thread);

private:
  friend void lock_all_mutexes();
  static void make_way();

  static std::atomic<bool> fork_waits; ///< It finds locks taken again and again.

  std::mutex mutex_;
};

/// Whether a thread that is stopped, by its number, holds any. True in doubt. Takes no lock that a
/// stopped thread may have, and no memory.
bool holds_any_mutex(pid_t thread);

/// After it, in both processes.
void unlock_all_mutexes();

} // namespace sartor::engine

#endif
