// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_JIT_WORKSHOP_H
#define SARTOR_RUNTIME_JIT_WORKSHOP_H

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/mutex.h"
#include "base/result.h"
#include "core/compiler/tier.h"
#include "runtime/codemem/code.h"
#include "runtime/jit/worker.h"

namespace sartor::runtime {

class Crew;

/// Something to be compiled.
struct Job {
  using Outcome = Result<std::unique_ptr<Code>>;

  std::uint64_t request = 0; ///< A next_request(), or all ones for what cannot wait.
  /// Somebody may wait for it, or not: the one is served newest first, the other oldest first, and
  /// both in turn.
  bool is_for_binding = false;
  /// Asked right before work starts: false if nothing needs to be made any more (then neither
  /// `work` nor `done` is called).
  std::function<bool()> begin;
  /// Refers to nothing of its caller's: it may go on when it has been given up.
  std::function<Outcome(Worker &, const core::Deadline &)> work;
  /// Called exactly once, on some thread.
  std::function<void(Outcome)> done;
};

/// Higher for each call in this process.
std::uint64_t next_request();

/// One runtime's place with the threads that compile for the whole process, one for each tier, off
/// everybody's critical path (runtime/jit/crew.h). Thread-safe.
class Workshop {
public:
  using MakeWorker = std::function<std::unique_ptr<Worker>()>;

  /// `timeout`: of a thread's processor time; none if it is not positive, or longer than a year.
  Workshop(core::Tier tier, MakeWorker make_worker, std::chrono::milliseconds timeout);
  ~Workshop() SARTOR_EXCLUDES(base::any_mutex); ///< As close().
  Workshop(const Workshop &) = delete;
  Workshop &operator=(const Workshop &) = delete;

  /// Jobs that have not begun are failed, those that come later are not taken. The compile under
  /// way is told to end, and waited for: what is told of its end may still submit(), in vain.
  void close() SARTOR_EXCLUDES(base::any_mutex);

  /// Takes the job, or fails, and calls nothing of it: no_thread, compile_failed if the threads
  /// were lost in LLVM, it is closed, or the program is exiting, forked if it can never compile in
  /// this child.
  Result<void> submit(Job job);

  struct Client;

private:
  Crew &crew_;
  std::shared_ptr<Client> client_;
};

} // namespace sartor::runtime

#endif
