// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_JIT_THREAD_POOL_H
#define SARTOR_RUNTIME_JIT_THREAD_POOL_H

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "base/life.h"
#include "base/thread/mutex.h"
#include "base/thread/thread.h"
#include "runtime/jit/compile_queue.h"
#include "runtime/jit/job_queue.h"

namespace sartor::runtime {

/// A runtime, as a client of the pool.
struct CompileQueue::Client {
  core::Tier tier = core::Tier::full;
  MakeWorker make_worker;
  std::optional<std::chrono::nanoseconds> timeout;
  /// Created by the thread of the tier, which holds it while it works.
  std::unique_ptr<Worker> worker;
  std::atomic<bool> closing = false;
};

/// The work of the compiling threads of this process.
struct PoolStatus {
  struct Running {
    JobDescription job;
    core::Tier tier = core::Tier::full;
    std::chrono::nanoseconds since_begin{};
  };

  std::size_t waiting = 0; ///< Jobs that have not begun.
  std::vector<Running> running;
};

/// The compiling threads of this process: one for each tier, started with the first job, and one
/// that watches them. When LLVM stops with a fatal error, or a compilation does not end in time,
/// the job fails and another thread takes over. A lost thread cannot be ended, so the number of
/// lost threads is limited. Never destroyed. Thread-safe.
class ThreadPool final : base::Resident {
public:
  static ThreadPool &instance();

  Result<void> submit(std::shared_ptr<CompileQueue::Client> client, Job job);
  /// Fails jobs that have not begun, and waits for the running one.
  void close(CompileQueue::Client &client) SARTOR_RUNS_PROGRAM;
  [[nodiscard]] PoolStatus status();

  struct WorkerThread;
  /// Fails the job of a thread that will not return.
  void abandon(WorkerThread &worker_thread, Failure failure, bool parked) SARTOR_RUNS_PROGRAM;

private:
  struct TierThread {
    JobQueue queue;
    std::shared_ptr<WorkerThread>
        worker_thread; ///< Null if there is no thread, not yet or not any more.
  };

  /// Jobs that a thread fails, one after the other.
  struct Failing {
    std::vector<JobQueue::Waiting> jobs; ///< Without the one whose `done` is called.
    std::thread::id thread;
    bool calls = false; ///< The thread calls a `done`.
  };

  ThreadPool();
  Result<void> start_thread(core::Tier tier) SARTOR_REQUIRES(mutex_);
  void start_watch();
  void run(const std::shared_ptr<WorkerThread> &worker_thread);
  std::optional<JobQueue::Waiting> next(WorkerThread &worker_thread);
  /// Returns nullopt if another thread has ended the job.
  std::optional<Job> take_job(WorkerThread &worker_thread);
  /// Keeps jobs until fail(), on the same thread, or until a child has failed them.
  std::list<Failing>::iterator will_fail(std::vector<JobQueue::Waiting> jobs)
      SARTOR_REQUIRES(mutex_);
  void fail(std::list<Failing>::iterator failing, const Failure &failure) SARTOR_RUNS_PROGRAM;
  /// Called where a thread holds no lock: waits here while the process forks.
  void park(WorkerThread &worker_thread);
  void watch();
  /// Returns the thread whose time limit has passed, if any.
  std::shared_ptr<WorkerThread> overdue(std::chrono::nanoseconds since_last)
      SARTOR_REQUIRES(mutex_);
  [[nodiscard]] bool is_working(const CompileQueue::Client *client) const SARTOR_REQUIRES(mutex_);
  [[nodiscard]] std::optional<Failure> refusal() const SARTOR_REQUIRES(mutex_);
  static std::size_t index_of(core::Tier tier) { return tier == core::Tier::quick ? 0 : 1; }
  TierThread &tier_thread(core::Tier tier) SARTOR_REQUIRES(mutex_) {
    return tier_threads_[index_of(tier)];
  }
  /// Wakes threads that wait for either condition.
  void notify_all_threads();

  void before_fork() override;
  void after_fork_in_parent() override;
  void after_fork_in_child() override;
  void resume_in_child() override;
  void exit_begins() override;
  bool has_ended() override;
  void is_left() override;

  base::Mutex mutex_;
  base::CondVar changed_;                  ///< Any state of the pool, except for new jobs.
  std::array<base::CondVar, 2> submitted_; ///< A job for the tier's thread, or its end.
  std::array<TierThread, 2> tier_threads_ SARTOR_GUARDED_BY(mutex_);
  std::list<Failing> failing_ SARTOR_GUARDED_BY(mutex_);
  /// The jobs that were unfinished when this child was forked, until they have been failed.
  std::vector<Job> unfinished_ SARTOR_GUARDED_BY(mutex_);
  bool watching_ SARTOR_GUARDED_BY(mutex_) = false;
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> forking_ = false;
  /// The parent was in LLVM when this child was forked: LLVM's locks are never released here.
  bool spoilt_ SARTOR_GUARDED_BY(mutex_) = false;
  /// The same condition for the child that is being forked.
  bool spoils_ SARTOR_GUARDED_BY(mutex_) = false;
  unsigned running_lost_ SARTOR_GUARDED_BY(mutex_) = 0;
  unsigned parked_lost_ SARTOR_GUARDED_BY(mutex_) = 0;
};

} // namespace sartor::runtime

#endif
