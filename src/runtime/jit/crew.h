// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_JIT_CREW_H
#define SARTOR_RUNTIME_JIT_CREW_H

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "base/life.h"
#include "base/mutex.h"
#include "base/thread.h"
#include "runtime/jit/job_queue.h"
#include "runtime/jit/workshop.h"

namespace sartor::runtime {

/// A runtime, as the crew knows it.
struct Workshop::Client {
  core::Tier tier = core::Tier::full;
  MakeWorker make_worker;
  std::optional<std::chrono::nanoseconds> timeout;
  std::unique_ptr<Worker> worker; ///< Made by the thread of the tier, which has it while it works.
  std::atomic<bool> closing = false;
};

/// The threads of this process that compile: one for each tier, started with the first job, and one
/// that watches them. When LLVM gives up with a fatal error, or a compile does not come back in
/// time, the job fails and another thread takes over; the one that is lost cannot be ended, so
/// there is a limit to how many are. Never destroyed. Thread-safe.
class Crew final : base::Resident {
public:
  static Crew &instance();

  Result<void> submit(std::shared_ptr<Workshop::Client> client, Job job);
  /// Fails what has not begun, and waits for what has.
  void close(Workshop::Client &client) SARTOR_RUNS_PROGRAM;

  struct Bench;
  /// The job on this bench has come to nothing, and its thread will not come back.
  void abandon(Bench &bench, Failure failure, bool parked) SARTOR_RUNS_PROGRAM;

private:
  struct Seat {
    JobQueue queue;
    std::shared_ptr<Bench> bench; ///< Null if there is no thread, not yet or not any more.
  };

  Crew();
  Result<void> man(core::Tier tier) SARTOR_REQUIRES(mutex_);
  void start_watch();
  void run(const std::shared_ptr<Bench> &bench);
  std::optional<JobQueue::Waiting> next(Bench &bench);
  /// Where a thread has no lock: waits here while the process forks.
  void park(Bench &bench);
  void watch();
  /// The bench whose time is over, if any.
  std::shared_ptr<Bench> overdue(std::chrono::nanoseconds since_last) SARTOR_REQUIRES(mutex_);
  [[nodiscard]] bool is_working(const Workshop::Client *client) const SARTOR_REQUIRES(mutex_);
  [[nodiscard]] std::optional<Failure> refusal() const SARTOR_REQUIRES(mutex_);
  Seat &seat(core::Tier tier) SARTOR_REQUIRES(mutex_) {
    return seats_[tier == core::Tier::quick ? 0 : 1];
  }

  void before_fork() override;
  void after_fork_in_parent() override;
  void after_fork_in_child() override;
  void resume_in_child() override;
  void exit_begins() override;
  bool has_ended() override;
  void is_left() override;

  base::Mutex mutex_;
  base::CondVar changed_;
  std::array<Seat, 2> seats_ SARTOR_GUARDED_BY(mutex_);
  /// When this child was forked off, until they have failed.
  std::vector<Job> unfinished_ SARTOR_GUARDED_BY(mutex_);
  bool watching_ SARTOR_GUARDED_BY(mutex_) = false;
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> forking_ = false;
  /// The parent was in LLVM when this child was forked off: whose locks nobody gives back here.
  bool spoilt_ SARTOR_GUARDED_BY(mutex_) = false;
  /// So it is for the child that is being forked off.
  bool spoils_ SARTOR_GUARDED_BY(mutex_) = false;
  unsigned running_lost_ SARTOR_GUARDED_BY(mutex_) = 0;
  unsigned parked_lost_ SARTOR_GUARDED_BY(mutex_) = 0;
};

} // namespace sartor::runtime

#endif
