// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_JIT_COMPILE_QUEUE_H
#define SARTOR_RUNTIME_JIT_COMPILE_QUEUE_H

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <sartor/configuration.hpp>

#include "base/result.h"
#include "base/thread/mutex.h"
#include "core/compiler/tier.h"
#include "runtime/codemem/code.h"
#include "runtime/jit/worker.h"

namespace sartor::runtime {

class ThreadPool;

/// The result of a job, for operators.
struct JobDescription {
  std::string kind;                 ///< `variant`.
  std::string handler;              ///< In readable form; empty for a job that is for no handler.
  Configuration configuration = {}; ///< Of a variant or template.
};

/// A compilation.
struct Job {
  using Outcome = Result<std::unique_ptr<Code>>;

  JobDescription description = {};
  std::uint64_t request = 0; ///< A next_request(), or the maximum for a job that cannot wait.
  /// Jobs for bindings are served oldest first; others, for which a caller may wait, newest first.
  /// The two kinds alternate.
  bool is_for_binding = false;
  /// Called right before work starts: returns false if the job is not needed any more (then neither
  /// `work` nor `done` is called).
  std::function<bool()> begin;
  /// Must not refer to objects of the caller: it may continue after it has been abandoned.
  std::function<Outcome(Worker &, const core::Deadline &)> work;
  /// Called exactly once, on any thread.
  std::function<void(Outcome)> done;
};

/// Returns a higher number for each call in this process.
std::uint64_t next_request();

/// One runtime's access to the threads that compile for the whole process, one for each tier, off
/// the critical path (runtime/jit/thread_pool.h). Thread-safe.
class CompileQueue {
public:
  using MakeWorker = std::function<std::unique_ptr<Worker>()>;

  /// `timeout` is processor time of a thread; there is no limit if it is not positive, or longer
  /// than a year.
  CompileQueue(core::Tier tier, MakeWorker make_worker, std::chrono::milliseconds timeout);
  ~CompileQueue() SARTOR_EXCLUDES(base::any_mutex); ///< As close().
  CompileQueue(const CompileQueue &) = delete;
  CompileQueue &operator=(const CompileQueue &) = delete;

  /// Fails jobs that have not begun, and refuses later ones. The running compilation is asked to
  /// end, and waited for; its `done` may still call submit(), which fails.
  void close() SARTOR_EXCLUDES(base::any_mutex);

  /// Accepts the job, or fails without calling any of its functions: with no_thread; with
  /// compile_failed if the threads were lost in LLVM, the queue is closed, or the program is
  /// exiting; with forked if this child can never compile.
  Result<void> submit(Job job);

  struct Client;

private:
  ThreadPool &thread_pool_;
  std::shared_ptr<Client> client_;
};

/// Runs a job before all requests, and waits for it. Must not be called with a lock held: jobs that
/// end take the runtime's. `work` may continue after this has returned, if it was abandoned.
Job::Outcome compile_now(CompileQueue &compile_queue, JobDescription description,
                         std::function<Job::Outcome(Worker &, const core::Deadline &)> work)
    SARTOR_EXCLUDES(base::any_mutex);

} // namespace sartor::runtime

#endif
