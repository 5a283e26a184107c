// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_FAULT_BREAKS_H
#define SARTOR_RUNTIME_ASSUMPTIONS_FAULT_BREAKS_H

#include <atomic>
#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include <sys/types.h>

#include "base/futex.h"
#include "base/readers.h"
#include "base/result.h"
#include "runtime/assumptions/fact.h"
#include "runtime/assumptions/fault_watch.h"

namespace sartor::runtime {

/// The thread that breaks facts for those who have stopped at their pages, and then lets them go.
/// Several pages at a time: while calls are waited for on behalf of one, others go on.
class FaultBreaks {
public:
  static FaultBreaks &instance();

  /// Fails with no_thread. In a child it has to be started anew.
  Result<void> start();
  /// That somebody has stopped (FaultWatch). Neither waits nor takes memory.
  void tell() { bell_.ring(); }
  [[nodiscard]] bool is_its_own(pid_t thread) const { return thread == thread_; }

  /// All facts on a page, by any thread, without waiting for calls.
  static void break_at_once(PageEntry &entry);

private:
  struct Broken {
    std::shared_ptr<Fact> fact;
    PageBreak how;
    bool done = false; ///< It has its pages open.
  };
  /// A page that somebody has written to.
  struct Job {
    PageEntry *entry = nullptr;
    std::vector<std::size_t> stopped; ///< Who waits, by number.
    std::vector<Broken> facts;
    bool at_once = false;
    std::optional<base::GracePeriod> calls; ///< Those that are waited for.
    Fact::Clock::time_point begin;
    bool told = false; ///< That they take long.
  };

  [[noreturn]] void run();
  void take_new();
  void add(std::size_t number);
  /// Breaks what is not yet broken, and says so to FaultWatch. Returns whether there was any.
  static bool break_all(Job &job);
  static void finish_facts(Job &job, const PageWrite &write);
  /// Returns whether it is done.
  static bool finish(Job &job);
  static bool is_to_wait(Job &job);

  base::Bell bell_;
  std::atomic<pid_t> thread_ = 0;
  std::list<Job> jobs_;
};

} // namespace sartor::runtime

#endif
