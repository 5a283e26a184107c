// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_ENGINE_MUTEX_H
#define SARTOR_ENGINE_MUTEX_H

#include <mutex>

namespace sartor::engine {

/// A lock that nobody holds in a child process: fork() waits until it has all of them. Who holds
/// one must not fork.
class Mutex {
public:
  Mutex();
  ~Mutex();
  Mutex(const Mutex &) = delete;
  Mutex &operator=(const Mutex &) = delete;

  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }
  bool try_lock() { return mutex_.try_lock(); }
  /// For std::condition_variable.
  [[nodiscard]] std::mutex &native() { return mutex_; }

private:
  std::mutex mutex_;
};

/// Around fork().
void lock_all_mutexes();
void unlock_all_mutexes();

} // namespace sartor::engine

#endif
