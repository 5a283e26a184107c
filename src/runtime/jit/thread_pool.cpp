// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/jit/thread_pool.h"

#include <algorithm>
#include <ctime>
#include <new>
#include <thread>
#include <utility>

#include <execinfo.h>
#include <unistd.h>

#include "base/reports.h"
#include "base/reserve.h"
#include "base/thread/mutex.h"
#include "core/compiler/deadline.h"
#include "core/compiler/find_compiler.h"
#include "runtime/jit/choose_compiler.h"
#include "runtime/jit/helper.h"

namespace sartor::runtime {

namespace {

using namespace std::chrono_literals;

/// Passes stop at the deadline; code generation cannot, and gets this additional time.
constexpr auto kGrace = 5s;
/// The interval at which working threads are checked.
constexpr auto kTick = 50ms;
/// How long fork() waits until the threads hold no lock of LLVM.
constexpr auto kForkPatience = 500ms;
constexpr unsigned kMostRunningLost = 2;
constexpr unsigned kMostParkedLost = 64;

Failure given_up(std::string why) {
  return {ErrorCode::compile_failed, "LLVM", std::move(why),
          "the active code stays active; leave out the pass or the configuration that causes it"};
}

Failure closing(const char *what) {
  return {ErrorCode::closing, what, "ends before the code is ready",
          "wait for requests before closing, if their code is needed"};
}

std::chrono::nanoseconds time_of_this_thread() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

} // namespace

/// The state of one thread. It is guarded by the pool's lock: the thread itself writes with the
/// lock held, and reads without. `job` is removed by the thread that ends it: this one, the watch,
/// or LLVM's fatal-error handler.
struct ThreadPool::WorkerThread final : core::Deadline {
  explicit WorkerThread(ThreadPool &owner, core::Tier of) : thread_pool(owner), tier(of) {}

  [[nodiscard]] bool passed() const override;

  ThreadPool &thread_pool;
  const core::Tier tier;
  base::Thread thread;
  std::optional<Job> job; ///< The running job, from when it leaves the queue.
  /// The job's owner, until the job is completely done.
  std::shared_ptr<CompileQueue::Client> client;
  std::unique_ptr<Worker> worker;                  ///< The client's worker, during the job.
  std::chrono::steady_clock::time_point job_begun; ///< When `job` was set.
  /// The limit for the job's `work`; none while its `begin` runs.
  std::optional<std::chrono::nanoseconds> timeout;
  std::chrono::nanoseconds begun{};  ///< The processor time at the beginning.
  std::chrono::nanoseconds looked{}; ///< The processor time when the watch last checked.
  /// The time in which it made no progress though the process ran: it waits for something.
  std::atomic<std::chrono::nanoseconds> waited{};
  std::atomic<bool> lost = false;
  bool runs_lost = false; ///< It counts among the lost threads that may return.
  bool parked = false;
};

namespace {

thread_local ThreadPool::WorkerThread *here = nullptr;

} // namespace

bool ThreadPool::WorkerThread::passed() const {
  if (thread_pool.forking_.load(std::memory_order_relaxed) && here == this)
    thread_pool.park(*here);
  if (lost || thread_pool.stopping_ || client->closing)
    return true;
  return timeout && time_of_this_thread() - begun + waited.load() > *timeout;
}

namespace {

// LLVM ends the process when this returns, so it does not return on a thread of the pool.
void on_fatal_error(const char *reason) {
  if (!here)
    return;
  here->thread_pool.abandon(*here, given_up(reason), /*parked=*/true);
  for (;;)
    pause();
}

/// Short strings, which need no memory allocation.
Failure out_of_memory() {
  return {ErrorCode::compile_failed, "LLVM", "out of memory", "allow it more"};
}

/// Never throws: state that LLVM was working on is abandoned.
Job::Outcome attempt(const Job &job, const CompileQueue::MakeWorker &make_worker,
                     std::unique_ptr<Worker> &worker,
                     const core::Deadline &deadline) SARTOR_RUNS_PROGRAM {
  if (!base::keep_reserve())
    return std::unexpected(out_of_memory());
  try {
    try {
      if (!worker)
        worker = make_worker();
      return job.work(*worker, deadline);
    } catch (const std::bad_alloc &) {
      throw;
    } catch (const std::exception &error) {
      (void)worker.release();
      return std::unexpected(given_up(error.what()));
    } catch (...) {
      (void)worker.release();
      return std::unexpected(given_up("an exception of unknown type"));
    }
  } catch (const std::bad_alloc &) {
    base::use_reserve();
    (void)worker.release();
    return std::unexpected(out_of_memory());
  }
}

void finish(const Job &job, Job::Outcome outcome) SARTOR_RUNS_PROGRAM {
  try {
    job.done(std::move(outcome));
  } catch (const std::exception &error) {
    base::use_reserve(); // the caller is notified when the job is destroyed
    base::report("thread_failed", {{"thread", "the thread pool"}, {"message", error.what()}});
  }
}

/// Returns whether the job is needed.
Result<bool> begin(const Job &job) SARTOR_RUNS_PROGRAM {
  try {
    return job.begin();
  } catch (const std::exception &error) {
    return std::unexpected(given_up(error.what()));
  }
}

} // namespace

Result<core::InProcessCompiler *> in_process_compiler() {
  auto found = here ? find_compiler_helped() : core::find_compiler();
  if (found) {
    (void)ThreadPool::instance(); // before LLVM reads anything
    (*found)->take_errors(on_fatal_error);
  }
  return found;
}

ThreadPool &ThreadPool::instance() {
  static auto *thread_pool = new ThreadPool; // never destroyed: threads may be lost in it
  return *thread_pool;
}

ThreadPool::ThreadPool() {
  // The C library loads its unwinder when an exception first passes through C code, and ends the
  // process if there is no memory for that.
  void *frame = nullptr;
  (void)backtrace(&frame, 1);
  base::add(*this);
}

std::optional<Failure> ThreadPool::refusal() const {
  if (stopping_)
    return closing("the program");
  if (spoilt_)
    return Failure{ErrorCode::forked, "this process",
                   "was forked off while LLVM was at work for another thread, and cannot compile",
                   "the active code stays active; fork when no request is under way"};
  if (running_lost_ >= kMostRunningLost || parked_lost_ >= kMostParkedLost)
    return Failure{ErrorCode::compile_failed, "the thread pool",
                   "has lost its threads in compilations that did not end, and compiles no more",
                   "the active code stays active; see `thread_lost` in the event log"};
  return std::nullopt;
}

Result<void> ThreadPool::submit(std::shared_ptr<CompileQueue::Client> client, Job job) {
  const core::Tier tier = client->tier;
  bool watched = false;
  {
    const base::MutexLock lock(mutex_);
    if (client->closing)
      return std::unexpected(closing("the runtime"));
    if (auto refused = refusal())
      return std::unexpected(std::move(*refused));
    if (auto manned = start_thread(tier); !manned)
      return manned;
    tier_thread(tier).queue.push(std::move(job), std::move(client));
    watched = watching_;
  }
  submitted_[index_of(tier)].notify_all(); // without the lock, which the worker needs
  if (!watched)
    start_watch();
  return {};
}

Result<void> ThreadPool::start_thread(core::Tier tier) {
  TierThread &mine = tier_thread(tier);
  if (mine.worker_thread)
    return {};
  auto worker_thread = std::make_shared<WorkerThread>(*this, tier);
  auto thread = base::Thread::start(tier == core::Tier::quick ? "sartor-quick" : "sartor-full",
                                    [this, worker_thread] { run(worker_thread); });
  if (!thread)
    return std::unexpected(std::move(thread.error()));
  thread->detach();
  worker_thread->thread = std::move(*thread);
  mine.worker_thread = std::move(worker_thread);
  return {};
}

// Called without the lock, which the job that it is to watch needs to begin.
void ThreadPool::start_watch() {
  {
    const base::MutexLock lock(mutex_);
    if (stopping_ || std::exchange(watching_, true))
      return;
  }
  auto thread = base::Thread::start("sartor-watch", [this] { watch(); });
  if (thread) {
    thread->detach();
    return;
  }
  const base::MutexLock lock(mutex_);
  watching_ = false;
}

void ThreadPool::park(WorkerThread &worker_thread) {
  const base::MutexLock lock(mutex_);
  worker_thread.parked = true;
  changed_.notify_all();
  while (forking_)
    changed_.wait(mutex_);
  worker_thread.parked = false;
}

std::optional<JobQueue::Waiting> ThreadPool::next(WorkerThread &worker_thread) {
  const base::MutexLock lock(mutex_);
  JobQueue &queue = tier_thread(worker_thread.tier).queue;
  worker_thread.client = nullptr;
  changed_.notify_all();
  while (!worker_thread.lost && (forking_ || queue.empty()))
    submitted_[index_of(worker_thread.tier)].wait(mutex_);
  if (worker_thread.lost)
    return std::nullopt;
  auto next = queue.pop();
  worker_thread.client = next.client;
  worker_thread.timeout = std::nullopt;
  worker_thread.job_begun = std::chrono::steady_clock::now();
  worker_thread.job = next.job;
  return next;
}

std::optional<Job> ThreadPool::take_job(WorkerThread &worker_thread) {
  const base::MutexLock lock(mutex_);
  return std::exchange(worker_thread.job, std::nullopt);
}

void ThreadPool::run(const std::shared_ptr<WorkerThread> &worker_thread) {
  here = worker_thread.get();
  bool first = true;
  while (auto next = this->next(*worker_thread)) {
    const Job job = std::move(next->job);
    if (const Result<bool> needed = begin(job); !needed || !*needed) {
      const auto unneeded = take_job(*worker_thread);
      if (!unneeded)
        break;
      if (!needed)
        finish(*unneeded, std::unexpected(needed.error()));
      continue;
    }
    {
      const base::MutexLock lock(mutex_);
      if (!worker_thread->job)
        break; // `begin` has forked, and this is the child, which has failed the job
      worker_thread->worker = std::move(next->client->worker);
      worker_thread->begun = worker_thread->looked = time_of_this_thread();
      worker_thread->waited = std::chrono::nanoseconds(0);
      worker_thread->timeout = next->client->timeout;
      changed_.notify_all();
    }
    Job::Outcome outcome =
        attempt(job, next->client->make_worker, worker_thread->worker, *worker_thread);
    if (std::exchange(first, false))
      base::watch_exit();
    std::optional<Job> finished;
    {
      const base::MutexLock lock(mutex_);
      finished = std::exchange(worker_thread->job, std::nullopt);
      if (finished)
        next->client->worker = std::move(worker_thread->worker);
    }
    if (!finished)
      break; // another thread has ended the job: this thread was abandoned
    if (!outcome && (stopping_ || next->client->closing))
      outcome = std::unexpected(closing("the runtime"));
    finish(*finished, std::move(outcome));
  }
  here = nullptr;
  const base::MutexLock lock(mutex_);
  if (worker_thread->runs_lost)
    --running_lost_;
}

std::list<ThreadPool::Failing>::iterator
ThreadPool::will_fail(std::vector<JobQueue::Waiting> jobs) {
  return failing_.insert(failing_.end(), {std::move(jobs), std::this_thread::get_id(), false});
}

void ThreadPool::fail(std::list<Failing>::iterator failing, const Failure &failure) {
  for (;;) {
    std::optional<JobQueue::Waiting> next; // destroyed without the lock
    {
      const base::MutexLock lock(mutex_);
      failing->calls = !failing->jobs.empty();
      if (!failing->calls) {
        failing_.erase(failing);
        changed_.notify_all(); // fork() may wait
        return;
      }
      next = std::move(failing->jobs.back());
      failing->jobs.pop_back();
    }
    finish(next->job, std::unexpected(failure));
  }
}

void ThreadPool::abandon(WorkerThread &worker_thread, Failure failure, bool parked) {
  std::list<Failing>::iterator failing;
  {
    const base::MutexLock lock(mutex_);
    if (worker_thread.lost.exchange(true))
      return;
    std::vector<JobQueue::Waiting> jobs;
    if (auto job = std::exchange(worker_thread.job, std::nullopt))
      jobs.push_back({std::move(*job), worker_thread.client});
    failing = will_fail(std::move(jobs));
    worker_thread.runs_lost = !parked;
    ++(parked ? parked_lost_ : running_lost_);
  }
  base::report("thread_lost", failure);
  // Must come before the client may count as idle: a thread that closes the client destroys objects
  // that this needs.
  fail(failing, failure);
  std::optional<Failure> refused;
  {
    const base::MutexLock lock(mutex_);
    TierThread &mine = tier_thread(worker_thread.tier);
    mine.worker_thread = nullptr;
    refused = refusal();
    if (!refused && !mine.queue.empty())
      if (auto manned = start_thread(worker_thread.tier); !manned)
        refused = std::move(manned.error());
    if (refused)
      failing = will_fail(mine.queue.take(nullptr));
    notify_all_threads();
  }
  if (refused)
    fail(failing, *refused);
}

std::shared_ptr<ThreadPool::WorkerThread> ThreadPool::overdue(std::chrono::nanoseconds since_last) {
  for (const TierThread &one : tier_threads_) {
    const auto &worker_thread = one.worker_thread;
    if (!worker_thread || !worker_thread->job || !worker_thread->timeout)
      continue;
    const auto now = worker_thread->thread.time();
    // A process that was stopped has made no progress either, but then this thread did not run
    // either.
    if (now - worker_thread->looked < since_last / 50)
      worker_thread->waited =
          worker_thread->waited.load() + std::min<std::chrono::nanoseconds>(since_last, 2 * kTick);
    worker_thread->looked = now;
    if (now - worker_thread->begun + worker_thread->waited.load() >
        *worker_thread->timeout + kGrace)
      return worker_thread;
  }
  return nullptr;
}

void ThreadPool::watch() {
  base::MutexLock lock(mutex_);
  auto last = std::chrono::steady_clock::now();
  for (;;) {
    const auto is_timed = [](const TierThread &one) {
      return one.worker_thread && one.worker_thread->job && one.worker_thread->timeout;
    };
    if (std::ranges::none_of(tier_threads_, is_timed)) {
      changed_.wait(mutex_);
      last = std::chrono::steady_clock::now();
      continue;
    }
    const auto tick = std::chrono::steady_clock::now() + kTick;
    while (changed_.wait_until(mutex_, tick))
      ;
    const auto now = std::chrono::steady_clock::now();
    if (const auto late = overdue(now - std::exchange(last, now))) {
      lock.unlock();
      abandon(*late,
              {ErrorCode::compile_timeout, "a compile", "has not come back in time",
               "raise Options::compile_timeout (in C, by sartor_open_with()), or simplify the "
               "pipeline"},
              /*parked=*/false);
      lock.lock();
    }
  }
}

void ThreadPool::notify_all_threads() {
  changed_.notify_all();
  for (base::CondVar &submitted : submitted_)
    submitted.notify_all();
}

bool ThreadPool::is_working(const CompileQueue::Client *client) const {
  return std::ranges::any_of(tier_threads_, [&](const TierThread &one) {
    return one.worker_thread && one.worker_thread->client &&
           (!client || one.worker_thread->client.get() == client);
  });
}

void ThreadPool::close(CompileQueue::Client &client) {
  std::list<Failing>::iterator failing;
  {
    const base::MutexLock lock(mutex_);
    client.closing = true;
    failing = will_fail(tier_thread(client.tier).queue.take(&client));
    while (is_working(&client))
      changed_.wait(mutex_);
  }
  fail(failing, closing("the runtime"));
  client.worker.reset();
}

PoolStatus ThreadPool::status() {
  const auto now = std::chrono::steady_clock::now();
  PoolStatus status;
  const base::MutexLock lock(mutex_);
  for (const TierThread &one : tier_threads_) {
    status.waiting += one.queue.size();
    if (one.worker_thread && one.worker_thread->job)
      status.running.push_back({one.worker_thread->job->description, one.worker_thread->tier,
                                now - one.worker_thread->job_begun});
  }
  return status;
}

void ThreadPool::exit_begins() {
  std::vector<JobQueue::Waiting> never;
  {
    const base::MutexLock lock(mutex_);
    stopping_ = true;
    for (TierThread &one : tier_threads_)
      for (auto &waiting : one.queue.take(nullptr))
        never.push_back(std::move(waiting));
  }
  for (auto &waiting : never)
    finish(waiting.job, std::unexpected(closing("the program")));
}

bool ThreadPool::has_ended() {
  const base::MutexLock lock(mutex_);
  return !is_working(nullptr);
}

void ThreadPool::is_left() {
  base::report("exit_left", {{"message", "a compilation still runs at exit; it is abandoned"}});
}

void ThreadPool::before_fork() {
  const auto is_waited_for = [](const TierThread &one) {
    return one.worker_thread && one.worker_thread->client && !one.worker_thread->parked &&
           one.worker_thread.get() != here;
  };
  const auto calls = [](const Failing &one) {
    return one.calls && one.thread != std::this_thread::get_id();
  };
  const auto end = std::chrono::steady_clock::now() + kForkPatience;
  const base::MutexLock lock(mutex_);
  forking_ = true;
  while (std::ranges::any_of(tier_threads_, is_waited_for) || std::ranges::any_of(failing_, calls))
    if (!changed_.wait_until(mutex_, end))
      break;
  spoils_ = std::ranges::any_of(tier_threads_, is_waited_for);
}

void ThreadPool::after_fork_in_parent() {
  const base::MutexLock lock(mutex_);
  forking_ = false;
  notify_all_threads();
}

void ThreadPool::after_fork_in_child() {
  changed_.forget_waiters();
  for (base::CondVar &submitted : submitted_)
    submitted.forget_waiters();
  std::vector<std::shared_ptr<WorkerThread>> left; // their workers are in the middle of a job
  {
    const base::MutexLock lock(mutex_);
    forking_ = false;
    watching_ = false;
    running_lost_ = parked_lost_ = 0;
    spoilt_ = spoilt_ || spoils_;
    for (TierThread &one : tier_threads_) {
      if (auto worker_thread = std::exchange(one.worker_thread, nullptr)) {
        worker_thread->lost = true;
        if (worker_thread->job)
          unfinished_.push_back(std::move(*worker_thread->job));
        worker_thread->job.reset();
        worker_thread->client = nullptr;
        left.push_back(std::move(worker_thread));
      }
      for (auto &waiting : one.queue.take(nullptr))
        unfinished_.push_back(std::move(waiting.job));
    }
    std::erase_if(failing_, [this](Failing &one) {
      mutex_.assert_held();
      if (one.thread == std::this_thread::get_id())
        return false; // continues in the child
      for (auto &waiting : one.jobs)
        unfinished_.push_back(std::move(waiting.job));
      return true;
    });
  }
  for (auto &worker_thread : left)
    base::keep(std::move(worker_thread));
}

void ThreadPool::resume_in_child() {
  std::vector<Job> unfinished;
  {
    const base::MutexLock lock(mutex_);
    unfinished.swap(unfinished_);
  }
  for (const Job &job : unfinished)
    finish(job, std::unexpected(Failure{ErrorCode::forked, "a request",
                                        "was under way when the process was forked",
                                        "ask for it again in the child"}));
}

} // namespace sartor::runtime
