// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_OPENER_H
#define SARTOR_RUNTIME_OPENER_H

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

#include "base/result.h"
#include "base/thread/mutex.h"
#include "core/space/module.h"

namespace sartor {

/// Opens the modules of a runtime that was created while its server was unavailable, full or
/// refusing. A thread of its own tries again, after one second at first, later every half minute.
/// Thread-safe.
class Opener : public std::enable_shared_from_this<Opener> {
public:
  using Open = std::function<Result<core::HandlerModule>()>;
  using Opened = std::function<void(core::HandlerModule &&)>;

  /// `opened` is called once.
  Opener(Open open, Opened opened) : open_(std::move(open)), opened_(std::move(opened)) {}

  /// Begins to try, unless it already does: for example in the child of a fork(). If no thread can
  /// be started, the next call tries again.
  void start();
  /// `opened` is not called any more once this has returned. It waits for that call, but not for
  /// the server.
  void stop();

private:
  void run(unsigned generation);
  [[nodiscard]] bool goes_on(unsigned generation);

  const Open open_;
  const Opened opened_;
  /// Held while `opened_` is called, which adds a resident: fork() must not wait for it.
  base::UnwatchedMutex<std::mutex> mutex_;
  bool stopped_ SARTOR_GUARDED_BY(mutex_) = false;
  bool runs_ SARTOR_GUARDED_BY(mutex_) = false;
  std::atomic<unsigned> generation_ = 0; ///< The process whose thread tries.
};

} // namespace sartor

#endif
