// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_THREAD_THREAD_H
#define SARTOR_BASE_THREAD_THREAD_H

#include <chrono>
#include <functional>

#include <pthread.h>
#include <sys/types.h>

#include "base/result.h"

namespace sartor::base {

/// A thread in the embedding process: it receives no signals except those that it causes itself,
/// computes in the default floating-point environment, has a name and a stack that is large enough
/// for LLVM, and no exception ends the process (it is reported, base/reports.h). It does not exist
/// in a child process.
class Thread {
public:
  Thread() = default;
  /// `name`: as shown by the system, at most 15 characters. Fails with no_thread.
  static Result<Thread> start(const char *name, std::function<void()> body);
  /// Waits for its end, unless it was detached.
  ~Thread();
  Thread(Thread &&other) noexcept;
  Thread &operator=(Thread &&other) noexcept;

  /// Started and not yet joined, in this process.
  [[nodiscard]] bool is_here() const noexcept;
  void join();
  /// Lets it run without waiting for its end.
  void detach();
  /// Its processor time so far. Not available once it has been detached and has ended.
  [[nodiscard]] std::chrono::nanoseconds time() const;

private:
  pthread_t thread_{};
  pid_t process_ = 0; ///< 0 if there is none.
  bool detached_ = false;
};

} // namespace sartor::base

#endif
