// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_LAZY_OPENING_H
#define SARTOR_RUNTIME_LAZY_OPENING_H

#include <atomic>
#include <functional>
#include <future>

#include "base/result.h"
#include "base/thread/mutex.h"
#include "core/space/module.h"
#include "runtime/jit/compile_queue.h"

namespace sartor {

/// Opens the modules of a runtime once something needs them, on a thread that compiles
/// (Options::lazy_opening). Thread-safe.
class LazyOpening {
public:
  using Open = std::function<Result<core::HandlerModule>()>;
  using Opened = std::function<void(Result<core::HandlerModule>)>;

  /// `open` must not refer to the runtime. `opened` is called once, on any
  /// thread, in a child perhaps for a second time.
  LazyOpening(Open open, Opened opened, runtime::CompileQueue::MakeWorker make_worker);
  LazyOpening(const LazyOpening &) = delete;
  LazyOpening &operator=(const LazyOpening &) = delete;

  /// Begins, unless it has begun.
  void start() SARTOR_EXCLUDES(base::any_mutex);
  /// Begins if necessary, and waits until `opened` has returned.
  void wait() SARTOR_EXCLUDES(base::any_mutex);
  /// True once `opened` has returned.
  [[nodiscard]] bool is_over() const { return over_.load(std::memory_order_acquire); }
  /// In the child of a fork(): calls `opened` with the error forked if the parent had begun and not
  /// ended.
  void resume_in_child() SARTOR_EXCLUDES(base::any_mutex);
  /// Calls `opened` with an error if the modules are being opened. Nothing begins after it.
  void close() SARTOR_EXCLUDES(base::any_mutex) { queue_.close(); }

private:
  void submit();
  void end(Result<core::HandlerModule> module);

  const Open open_;
  const Opened opened_;
  runtime::CompileQueue queue_;
  std::atomic<bool> begun_ = false;
  std::atomic<bool> over_ = false;
  std::promise<void> ended_;
  std::shared_future<void> end_ = ended_.get_future().share();
};

} // namespace sartor

#endif
