// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/workshop.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <unistd.h>

#include <llvm/Support/ErrorHandling.h>

#include "jit/at_exit.h"

namespace sartor::jit {

namespace {

using Clock = std::chrono::steady_clock;

// Passes stop by themselves at the deadline; code generation cannot, and gets this long on top.
constexpr std::chrono::seconds kGrace{5};

Failure given_up(std::string why) {
  return {ErrorCode::compile_failed, "LLVM", std::move(why),
          "what is in force stays; leave out the pass or the configuration that causes it"};
}

} // namespace

/// Shared by the workshop and its threads, so that a lost thread can outlive the workshop.
struct Workshop::State : std::enable_shared_from_this<State> {
  /// One thread's place at the bench. `job` is taken out by whoever ends it: the thread itself, the
  /// watchdog, or LLVM's fatal-error handler.
  struct Bench {
    std::optional<Job> job;
    Clock::time_point deadline;
    bool lost = false;
    std::thread thread; ///< Detached when lost.
  };

  State(MakeWorker make, std::chrono::milliseconds limit)
      : make_worker(std::move(make)), timeout(limit) {}

  void start_thread() {
    bench = std::make_shared<Bench>();
    bench->thread = std::thread([self = shared_from_this(), mine = bench] { self->run(*mine); });
  }

  void run(Bench &mine);
  void watch();
  /// Fails what has not begun, and waits for what has. Again, it does nothing.
  void stop();
  std::optional<Job> next(Bench &mine);
  static void abandon(State &state, Bench &mine, Failure failure);

  const MakeWorker make_worker;
  const std::chrono::milliseconds timeout;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Job> queue;
  std::shared_ptr<Bench> bench; ///< Of the thread that works; benches of lost threads are gone.
  bool stopping = false;
  bool idle = true;
  bool watching = true;
  std::thread watcher;
};

namespace {

struct Here {
  Workshop::State *state = nullptr;
  Workshop::State::Bench *bench = nullptr;
};
thread_local Here here;

// LLVM ends the process when this returns, so on a thread of ours it does not.
void on_fatal_error(void *, const char *reason, bool) {
  if (!here.state)
    return;
  Workshop::State::abandon(*here.state, *here.bench, given_up(reason));
  for (;;)
    pause();
}

void handle_fatal_errors() {
  static const bool once = [] {
    llvm::install_fatal_error_handler(on_fatal_error);
    return true;
  }();
  (void)once;
}

} // namespace

std::optional<Job> Workshop::State::next(Bench &mine) {
  std::unique_lock lock(mutex);
  if (mine.lost)
    return std::nullopt;
  idle = true;
  changed.notify_all();
  changed.wait(lock, [&] { return stopping || !queue.empty(); });
  if (stopping)
    return std::nullopt;
  auto newest = std::ranges::max_element(queue, {}, &Job::request);
  Job job = std::move(*newest);
  queue.erase(newest);
  idle = false;
  return job;
}

void Workshop::State::run(Bench &mine) {
  here = {this, &mine};
  std::unique_ptr<Worker> worker;
  while (auto job = next(mine)) {
    if (!job->begin())
      continue;
    const auto work = job->work;
    Clock::time_point deadline;
    {
      const std::lock_guard lock(mutex);
      deadline = mine.deadline = Clock::now() + timeout;
      mine.job = std::move(*job);
      changed.notify_all();
    }
    const bool first = !worker;
    if (first)
      worker = make_worker();
    Job::Outcome outcome = work(*worker, deadline);
    if (first)
      renew_exit_hooks();
    std::optional<Job> finished;
    {
      const std::lock_guard lock(mutex);
      finished = std::exchange(mine.job, std::nullopt);
    }
    if (!finished)
      break; // somebody else has ended it: this thread was given up
    finished->done(std::move(outcome));
  }
  here = {};
}

void Workshop::State::abandon(State &state, Bench &mine, Failure failure) {
  std::optional<Job> job;
  {
    const std::lock_guard lock(state.mutex);
    if (mine.lost)
      return;
    job = std::exchange(mine.job, std::nullopt);
    mine.lost = true;
    mine.thread.detach();
  }
  // Before the workshop may count as idle: whoever closes it takes away what this needs.
  if (job)
    job->done(std::unexpected(std::move(failure)));
  const std::lock_guard lock(state.mutex);
  if (state.stopping)
    state.idle = true;
  else
    state.start_thread();
  state.changed.notify_all();
}

void Workshop::State::watch() {
  std::unique_lock lock(mutex);
  while (watching) {
    const auto watched = bench;
    if (!watched->job) {
      changed.wait(lock, [&] { return !watching || bench != watched || watched->job; });
      continue;
    }
    const auto limit = watched->deadline + kGrace;
    changed.wait_until(lock, limit, [&] { return !watching || !watched->job; });
    if (watching && watched->job && watched->deadline + kGrace <= Clock::now()) {
      lock.unlock();
      abandon(*this, *watched,
              {ErrorCode::compile_timeout, "a compile", "has not come back in time",
               "raise Options::compile_timeout (in C, by sartor_open_with()), "
               "or simplify the pipeline"});
      lock.lock();
    }
  }
}

void Workshop::State::stop() {
  std::vector<Job> never;
  {
    std::unique_lock lock(mutex);
    stopping = true;
    never = std::exchange(queue, {});
    changed.notify_all();
    changed.wait(lock, [&] { return idle; });
  }
  for (Job &job : never)
    job.done(std::unexpected(given_up("the runtime is closing")));
}

Workshop::Workshop(MakeWorker make_worker, std::chrono::milliseconds timeout)
    : state_(std::make_shared<State>(std::move(make_worker), timeout)) {
  handle_fatal_errors();
  state_->start_thread();
  state_->watcher = std::thread([state = state_.get()] { state->watch(); });
  call_at_exit(state_.get(), [state = state_.get()] { state->stop(); });
}

Workshop::~Workshop() {
  forget_at_exit(state_.get());
  state_->stop();
  {
    const std::lock_guard lock(state_->mutex);
    state_->watching = false;
    state_->changed.notify_all();
  }
  state_->watcher.join();
  if (!state_->bench->lost)
    state_->bench->thread.join();
}

void Workshop::submit(Job job) {
  {
    const std::lock_guard lock(state_->mutex);
    if (!state_->stopping) {
      state_->queue.push_back(std::move(job));
      state_->changed.notify_all();
      return;
    }
  }
  // Not on this thread, which may hold what `done` needs.
  std::thread([done = std::move(job.done)] {
    done(std::unexpected(given_up("the program is exiting")));
  }).detach();
}

} // namespace sartor::jit
