// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_PAGES_FAULT_INVALIDATIONS_H
#define SARTOR_RUNTIME_ASSUMPTIONS_PAGES_FAULT_INVALIDATIONS_H

#include <atomic>
#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include <sys/types.h>

#include "base/readers.h"
#include "base/result.h"
#include "base/thread/futex.h"
#include "runtime/assumptions/pages/fault_watch.h"
#include "runtime/assumptions/quasi_invariant_state.h"

namespace sartor::runtime {

/// The thread that invalidates quasi-invariants for threads that have stopped at their pages, and
/// then lets these threads continue. It works on several pages at a time: it handles other pages
/// while it waits for the calls that affect one.
class FaultInvalidations {
public:
  static FaultInvalidations &instance();

  /// Starts the thread. Fails with no_thread. It must be called again in a child process.
  Result<void> start();
  /// Announces that a thread has stopped (see FaultWatch). Neither waits nor allocates memory.
  void report() { bell_.ring(); }
  [[nodiscard]] bool is_its_own(pid_t thread) const { return thread == thread_; }

  /// Invalidates all quasi-invariants on a page without waiting for calls. Any thread may call it.
  static void invalidate_at_once(PageEntry &entry);

private:
  struct Invalidated {
    std::shared_ptr<QuasiInvariantState> quasi_invariant;
    PageInvalidation how;
    bool done = false; ///< The pages of the quasi-invariant have been opened.
  };
  /// A page to which a thread has tried to write.
  struct Job {
    PageEntry *entry = nullptr;
    std::vector<std::size_t> stopped; ///< The threads that wait, by number.
    std::vector<Invalidated> quasi_invariants;
    bool at_once = false;
    std::optional<base::GracePeriod> calls; ///< The calls that are waited for.
    QuasiInvariantState::Clock::time_point begin;
    bool reported = false; ///< The long wait has been reported.
  };

  [[noreturn]] void run();
  void take_new();
  void add(std::size_t number);
  /// Invalidates the quasi-invariants that are still valid and notifies FaultWatch. Returns whether
  /// there were any.
  static bool invalidate_all(Job &job);
  static void finish_quasi_invariants(Job &job, const PageWrite &write);
  /// Returns whether the job is done.
  static bool finish(Job &job);
  static bool is_to_wait(Job &job);

  base::Bell bell_;
  std::atomic<pid_t> thread_ = 0;
  std::list<Job> jobs_;
};

} // namespace sartor::runtime

#endif
