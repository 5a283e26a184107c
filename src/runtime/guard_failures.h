// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_GUARD_FAILURES_H
#define SARTOR_RUNTIME_GUARD_FAILURES_H

#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <string>

#include "base/event_log.h"
#include "base/thread/mutex.h"
#include "base/thread/thread.h"
#include "core/space/module.h"

namespace sartor {

/// Counters of the guards that failed in specialized code, and the thread that writes their
/// increments to the event log. Thread-safe. Its lock is taken after the runtime's, and no other
/// one under it, except to start a thread.
class GuardFailures {
public:
  /// Without an event log, `events` is null and no thread is started.
  GuardFailures(std::shared_ptr<const core::HandlerModule> module,
                std::shared_ptr<EventLog> events);

  /// Indexed by the index of the point in the space; compiled code increments them.
  [[nodiscard]] const std::shared_ptr<std::uint64_t[]> &counters() const { return counters_; }
  [[nodiscard]] std::map<std::string, std::uint64_t> by_label() const;
  /// Starts the thread, unless it runs in this process.
  void start_sampling();
  void stop_sampling();
  /// In a child process, where the thread does not exist: starts it if it ran in the parent.
  void resume_in_child();

private:
  void sample(const std::stop_token &stop) const;

  const std::shared_ptr<const core::HandlerModule> module_;
  const std::shared_ptr<EventLog> events_;
  const std::shared_ptr<std::uint64_t[]> counters_;
  base::Mutex mutex_;
  std::stop_source stop_ SARTOR_GUARDED_BY(mutex_);
  base::Thread sampler_ SARTOR_GUARDED_BY(mutex_);
  /// start_sampling() was called, and stop_sampling() not yet.
  bool is_wanted_ SARTOR_GUARDED_BY(mutex_) = false;
};

} // namespace sartor

#endif
