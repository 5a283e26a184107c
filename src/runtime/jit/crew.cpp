// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/jit/crew.h"

#include <algorithm>
#include <ctime>
#include <map>
#include <new>
#include <utility>

#include <execinfo.h>
#include <unistd.h>

#include "base/mutex.h"
#include "base/reports.h"
#include "base/reserve.h"
#include "core/compiler/deadline.h"
#include "core/compiler/find_compiler.h"
#include "remote/protocol/beside.h"
#include "remote/protocol/to_server.h"
#include "runtime/jit/choose_compiler.h"
#include "runtime/jit/fallback_compiler.h"
#include "runtime/jit/helper.h"

namespace sartor::runtime {

namespace {

using namespace std::chrono_literals;

/// Passes stop by themselves at the deadline; code generation cannot, and gets this long on top.
constexpr auto kGrace = 5s;
/// How often the crew is looked after while it works.
constexpr auto kTick = 50ms;
/// How long fork() waits for threads to come to where they have no lock of LLVM's.
constexpr auto kForkPatience = 500ms;
constexpr unsigned kMostRunningLost = 2;
constexpr unsigned kMostParkedLost = 64;

Failure given_up(std::string why) {
  return {ErrorCode::compile_failed, "LLVM", std::move(why),
          "what is in force stays; leave out the pass or the configuration that causes it"};
}

Failure closing(const char *what) {
  return {ErrorCode::compile_failed, "the workshop", what, "what is in force stays"};
}

std::chrono::nanoseconds time_of_this_thread() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

} // namespace

/// One thread's place. The crew's lock guards it: the thread itself writes with the lock held, and
/// reads without. `job` is taken out by whichever ends it: the thread itself, the watch, or LLVM's
/// fatal-error handler.
struct Crew::Bench final : core::Deadline {
  explicit Bench(Crew &owner, core::Tier of) : crew(owner), tier(of) {}

  [[nodiscard]] bool passed() const override;

  Crew &crew;
  const core::Tier tier;
  base::Thread thread;
  std::optional<Job> job;                   ///< Being worked on.
  std::shared_ptr<Workshop::Client> client; ///< Whose it is, until all of it is done.
  std::unique_ptr<Worker> worker;           ///< The client's, meanwhile.
  std::optional<std::chrono::nanoseconds> timeout;
  std::chrono::nanoseconds begun{};  ///< Processor time.
  std::chrono::nanoseconds looked{}; ///< The same, when the watch last looked.
  /// Time in which it did nothing though the process ran: it waits for something.
  std::atomic<std::chrono::nanoseconds> waited{};
  std::atomic<bool> lost = false;
  bool runs_lost = false; ///< It counts among those that may come back.
  bool parked = false;
};

namespace {

thread_local Crew::Bench *here = nullptr;

} // namespace

bool Crew::Bench::passed() const {
  if (crew.forking_.load(std::memory_order_relaxed) && here == this)
    crew.park(*here);
  if (lost || crew.stopping_ || client->closing)
    return true;
  return timeout && time_of_this_thread() - begun + waited.load() > *timeout;
}

namespace {

// LLVM ends the process when this returns, so on a thread of ours it does not.
void on_fatal_error(const char *reason) {
  if (!here)
    return;
  here->crew.abandon(*here, given_up(reason), /*parked=*/true);
  for (;;)
    pause();
}

/// Short texts, which need no memory themselves.
Failure out_of_memory() {
  return {ErrorCode::compile_failed, "LLVM", "out of memory", "allow it more"};
}

/// Never throws: what LLVM was at is left to itself.
Job::Outcome attempt(const Job &job, const Workshop::MakeWorker &make_worker,
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
    base::use_reserve(); // who waits is told when the job goes
    base::report("thread_failed", {{"thread", "the workshop"}, {"message", error.what()}});
  }
}

bool begin(const Job &job) SARTOR_RUNS_PROGRAM {
  try {
    return job.begin();
  } catch (const std::exception &error) {
    finish(job, std::unexpected(given_up(error.what())));
    return false;
  }
}

} // namespace

Result<core::InsideCompiler *> inside_compiler() {
  auto found = here ? find_compiler_helped() : core::find_compiler();
  if (found) {
    (void)Crew::instance(); // before LLVM reads anything
    (*found)->take_errors(on_fatal_error);
  }
  return found;
}

namespace {

// One for each server. Never destroyed.
core::Compiler &with_fallback(core::Compiler &server) {
  static auto &mutex = *new base::Mutex; // threads may be lost in it
  static auto &all = *new std::map<core::Compiler *, FallbackCompiler>;
  const base::MutexLock lock(mutex);
  return all.try_emplace(&server, server).first->second;
}

} // namespace

Result<core::Compiler *> choose_compiler(const CompilerAt &where, const std::string &wanted) {
  switch (where.place) {
  case CompilerPlace::inside:
    return inside_compiler();
  case CompilerPlace::beside:
    return &remote::compiler_beside();
  case CompilerPlace::server:
    return where.server.fallback ? &with_fallback(remote::compiler_of(where.server))
                                 : &remote::compiler_of(where.server);
  case CompilerPlace::none:
    break;
  }
  return std::unexpected(
      Failure{ErrorCode::no_compiler, wanted, "was not made beforehand, and there is no compiler",
              "make it with `sartor compile`, or say compiler = inside (Options::compiler, "
              "SARTOR_COMPILER)"});
}

Crew &Crew::instance() {
  static auto *crew = new Crew; // threads may be lost in it
  return *crew;
}

Crew::Crew() {
  // The C library looks for its unwinder when an exception first goes through code of its own, and
  // ends the process if there is no memory to load it.
  void *frame = nullptr;
  (void)backtrace(&frame, 1);
  base::add(*this);
}

std::optional<Failure> Crew::refusal() const {
  if (stopping_)
    return closing("the program is exiting");
  if (spoilt_)
    return Failure{ErrorCode::forked, "this process",
                   "was forked off while LLVM was at work for another thread, and cannot compile",
                   "what is in force stays; fork when no request is under way"};
  if (running_lost_ >= kMostRunningLost || parked_lost_ >= kMostParkedLost)
    return Failure{
        ErrorCode::compile_failed, "the workshop",
        "has lost its threads in compiles that did not come back, and makes no more code",
        "what is in force stays; see `thread_lost` in the event log"};
  return std::nullopt;
}

Result<void> Crew::submit(std::shared_ptr<Workshop::Client> client, Job job) {
  {
    const base::MutexLock lock(mutex_);
    if (client->closing)
      return std::unexpected(closing("is closing"));
    if (auto refused = refusal())
      return std::unexpected(std::move(*refused));
    const core::Tier tier = client->tier;
    if (auto manned = man(tier); !manned)
      return manned;
    seat(tier).queue.push(std::move(job), std::move(client));
    changed_.notify_all();
  }
  start_watch();
  return {};
}

Result<void> Crew::man(core::Tier tier) {
  Seat &mine = seat(tier);
  if (mine.bench)
    return {};
  auto bench = std::make_shared<Bench>(*this, tier);
  auto thread = base::Thread::start(tier == core::Tier::quick ? "sartor-quick" : "sartor-full",
                                    [this, bench] { run(bench); });
  if (!thread)
    return std::unexpected(std::move(thread.error()));
  thread->detach();
  bench->thread = std::move(*thread);
  mine.bench = std::move(bench);
  return {};
}

// Without the lock, which the job that it is to watch needs to begin.
void Crew::start_watch() {
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

void Crew::park(Bench &bench) {
  const base::MutexLock lock(mutex_);
  bench.parked = true;
  changed_.notify_all();
  while (forking_)
    changed_.wait(mutex_);
  bench.parked = false;
}

std::optional<JobQueue::Waiting> Crew::next(Bench &bench) {
  const base::MutexLock lock(mutex_);
  JobQueue &queue = seat(bench.tier).queue;
  bench.client = nullptr;
  changed_.notify_all();
  while (!bench.lost && (forking_ || queue.empty()))
    changed_.wait(mutex_);
  if (bench.lost)
    return std::nullopt;
  auto next = queue.pop();
  bench.client = next.client;
  return next;
}

void Crew::run(const std::shared_ptr<Bench> &bench) {
  here = bench.get();
  bool first = true;
  while (auto next = this->next(*bench)) {
    const Job job = std::move(next->job);
    if (!begin(job))
      continue;
    {
      const base::MutexLock lock(mutex_);
      bench->worker = std::move(next->client->worker);
      bench->begun = bench->looked = time_of_this_thread();
      bench->waited = std::chrono::nanoseconds(0);
      bench->timeout = next->client->timeout;
      bench->job = job;
      changed_.notify_all();
    }
    Job::Outcome outcome = attempt(job, next->client->make_worker, bench->worker, *bench);
    if (std::exchange(first, false))
      base::watch_exit();
    std::optional<Job> finished;
    {
      const base::MutexLock lock(mutex_);
      finished = std::exchange(bench->job, std::nullopt);
      if (finished)
        next->client->worker = std::move(bench->worker);
    }
    if (!finished)
      break; // somebody else has ended it: this thread was given up
    if (!outcome && (stopping_ || next->client->closing))
      outcome = std::unexpected(closing("is closing"));
    finish(*finished, std::move(outcome));
  }
  here = nullptr;
  const base::MutexLock lock(mutex_);
  if (bench->runs_lost)
    --running_lost_;
}

void Crew::abandon(Bench &bench, Failure failure, bool parked) {
  std::optional<Job> job;
  {
    const base::MutexLock lock(mutex_);
    if (bench.lost.exchange(true))
      return;
    job = std::exchange(bench.job, std::nullopt);
    bench.runs_lost = !parked;
    ++(parked ? parked_lost_ : running_lost_);
  }
  base::report("thread_lost", {{"message", failure.text()}});
  // Before the client may count as idle: whoever closes it takes away what this needs.
  if (job)
    finish(*job, std::unexpected(std::move(failure)));
  std::vector<JobQueue::Waiting> never;
  std::optional<Failure> refused;
  {
    const base::MutexLock lock(mutex_);
    Seat &mine = seat(bench.tier);
    mine.bench = nullptr;
    refused = refusal();
    if (!refused && !mine.queue.empty())
      if (auto manned = man(bench.tier); !manned)
        refused = std::move(manned.error());
    if (refused)
      never = mine.queue.take(nullptr);
    changed_.notify_all();
  }
  for (auto &waiting : never)
    finish(waiting.job, std::unexpected(*refused));
}

std::shared_ptr<Crew::Bench> Crew::overdue(std::chrono::nanoseconds since_last) {
  for (const Seat &one : seats_) {
    const auto &bench = one.bench;
    if (!bench || !bench->job || !bench->timeout)
      continue;
    const auto now = bench->thread.time();
    // A process that was stopped has done nothing either, but then not even this thread looked.
    if (now - bench->looked < since_last / 50)
      bench->waited =
          bench->waited.load() + std::min<std::chrono::nanoseconds>(since_last, 2 * kTick);
    bench->looked = now;
    if (now - bench->begun + bench->waited.load() > *bench->timeout + kGrace)
      return bench;
  }
  return nullptr;
}

void Crew::watch() {
  base::MutexLock lock(mutex_);
  auto last = std::chrono::steady_clock::now();
  for (;;) {
    const auto is_timed = [](const Seat &one) {
      return one.bench && one.bench->job && one.bench->timeout;
    };
    if (std::ranges::none_of(seats_, is_timed)) {
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

bool Crew::is_working(const Workshop::Client *client) const {
  return std::ranges::any_of(seats_, [&](const Seat &one) {
    return one.bench && one.bench->client && (!client || one.bench->client.get() == client);
  });
}

void Crew::close(Workshop::Client &client) {
  std::vector<JobQueue::Waiting> never;
  {
    const base::MutexLock lock(mutex_);
    client.closing = true;
    never = seat(client.tier).queue.take(&client);
    while (is_working(&client))
      changed_.wait(mutex_);
  }
  for (auto &waiting : never)
    finish(waiting.job, std::unexpected(closing("is closing")));
  client.worker.reset();
}

void Crew::exit_begins() {
  std::vector<JobQueue::Waiting> never;
  {
    const base::MutexLock lock(mutex_);
    stopping_ = true;
    for (Seat &one : seats_)
      for (auto &waiting : one.queue.take(nullptr))
        never.push_back(std::move(waiting));
  }
  for (auto &waiting : never)
    finish(waiting.job, std::unexpected(closing("the program is exiting")));
}

bool Crew::has_ended() {
  const base::MutexLock lock(mutex_);
  return !is_working(nullptr);
}

void Crew::is_left() {
  base::report("exit_left", {{"message", "a compile does not come to its end"}});
}

void Crew::before_fork() {
  const auto is_waited_for = [](const Seat &one) {
    return one.bench && one.bench->client && !one.bench->parked && one.bench.get() != here;
  };
  const auto end = std::chrono::steady_clock::now() + kForkPatience;
  const base::MutexLock lock(mutex_);
  forking_ = true;
  while (std::ranges::any_of(seats_, is_waited_for))
    if (!changed_.wait_until(mutex_, end))
      break;
  spoils_ = std::ranges::any_of(seats_, is_waited_for);
}

void Crew::after_fork_in_parent() {
  const base::MutexLock lock(mutex_);
  forking_ = false;
  changed_.notify_all();
}

void Crew::after_fork_in_child() {
  changed_.forget_waiters();
  std::vector<std::shared_ptr<Bench>> left; // with a worker that is in the middle of something
  {
    const base::MutexLock lock(mutex_);
    forking_ = false;
    watching_ = false;
    running_lost_ = parked_lost_ = 0;
    spoilt_ = spoilt_ || spoils_;
    for (Seat &one : seats_) {
      if (auto bench = std::exchange(one.bench, nullptr)) {
        bench->lost = true;
        if (bench->job)
          unfinished_.push_back(std::move(*bench->job));
        bench->job.reset();
        bench->client = nullptr;
        left.push_back(std::move(bench));
      }
      for (auto &waiting : one.queue.take(nullptr))
        unfinished_.push_back(std::move(waiting.job));
    }
  }
  for (auto &bench : left)
    base::keep(std::move(bench));
}

void Crew::resume_in_child() {
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
