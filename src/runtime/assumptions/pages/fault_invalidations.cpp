// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/pages/fault_invalidations.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <unistd.h>

#include "base/life.h"
#include "base/reports.h"
#include "base/thread/blocking.h"
#include "base/thread/thread.h"
#include "runtime/assumptions/pages/pages.h"
#include "runtime/assumptions/quasi_invariants.h"

namespace sartor::runtime {

namespace {

using namespace std::chrono_literals;

/// A wait for calls that takes longer is reported as an event.
constexpr auto kStalled = 5s;
constexpr timespec kLookAgain = {0, 50'000};

std::vector<std::shared_ptr<QuasiInvariantState>> quasi_invariants_on(const PageEntry &entry) {
  auto quasi_invariants = QuasiInvariants::instance().about(Pages::instance().extent_of(entry));
  std::erase_if(quasi_invariants,
                [](const auto &quasi_invariant) { return !quasi_invariant->protects_pages(); });
  return quasi_invariants;
}

} // namespace

FaultInvalidations &FaultInvalidations::instance() {
  static auto *invalidations =
      new FaultInvalidations; // never destroyed: writers may stop until the process has ended
  return *invalidations;
}

Result<void> FaultInvalidations::start() {
  std::construct_at(&jobs_); // in a child: jobs of the parent, whose thread may have changed them
  auto thread = base::Thread::start("sartor-invalid", [this] { run(); });
  if (!thread)
    return std::unexpected(std::move(thread.error()));
  thread->detach();
  return {};
}

void FaultInvalidations::invalidate_at_once(PageEntry &entry) {
  for (const auto &quasi_invariant : quasi_invariants_on(entry)) {
    const PageInvalidation how = quasi_invariant->begin_page_invalidation();
    quasi_invariant->finish_page_invalidation(how, Waited::not_at_all, {});
    quasi_invariant->end_write(how.permission);
  }
}

bool FaultInvalidations::invalidate_all(Job &job) {
  bool any = false;
  bool is_to_wait = false;
  for (auto &quasi_invariant : quasi_invariants_on(*job.entry)) {
    if (std::ranges::find(job.quasi_invariants, quasi_invariant, &Invalidated::quasi_invariant) !=
        job.quasi_invariants.end())
      continue;
    any = true;
    const PageInvalidation how = quasi_invariant->begin_page_invalidation();
    is_to_wait = is_to_wait || how.is_to_wait;
    job.quasi_invariants.push_back({std::move(quasi_invariant), how});
  }
  for (const std::size_t number : job.stopped)
    FaultWatch::instance().stopped(number).state = Stopped::State::led;
  if (is_to_wait && !job.at_once) {
    job.calls.emplace();
    base::note_invalidation();
  }
  return any;
}

void FaultInvalidations::add(std::size_t number) {
  Stopped &stopped = FaultWatch::instance().stopped(number);
  auto job = std::ranges::find(jobs_, stopped.entry, &Job::entry);
  const bool is_new = job == jobs_.end();
  if (is_new) {
    job = jobs_.emplace(jobs_.end());
    job->entry = stopped.entry;
    job->begin = QuasiInvariantState::Clock::now();
  }
  job->stopped.push_back(number);
  job->at_once = job->at_once || stopped.inside || stopped.late;
  if (is_new)
    (void)invalidate_all(*job);
  else
    stopped.state = Stopped::State::led;
}

void FaultInvalidations::take_new() {
  for (std::size_t number = 0; number < FaultWatch::kMost; ++number)
    if (FaultWatch::instance().stopped(number).state == Stopped::State::reported)
      add(number);
}

bool FaultInvalidations::is_to_wait(Job &job) {
  if (job.at_once || !job.calls || base::is_exiting())
    return false;
  const pid_t reader = job.calls->reader_that_runs();
  if (reader != 0 && !job.reported && QuasiInvariantState::Clock::now() - job.begin > kStalled) {
    job.reported = true;
    base::report("stalled", {{"thread", std::to_string(reader)},
                             {"message", "is in a call of a handler for long: who writes to what "
                                         "is folded there waits"}});
  }
  return reader != 0;
}

void FaultInvalidations::finish_quasi_invariants(Job &job, const PageWrite &write) {
  const Waited waited = job.at_once || write.late               ? Waited::not_at_all
                        : job.calls && job.calls->reader() != 0 ? Waited::for_running
                                                                : Waited::for_all;
  for (Invalidated &invalidated : job.quasi_invariants)
    if (!std::exchange(invalidated.done, true))
      invalidated.quasi_invariant->finish_page_invalidation(invalidated.how, waited, write);
}

bool FaultInvalidations::finish(Job &job) {
  if (is_to_wait(job))
    return false;
  FaultWatch &watch = FaultWatch::instance();
  PageWrite write = {watch.stopped(job.stopped.front()).fault.address, false};
  for (const std::size_t number : job.stopped)
    write.late = write.late || watch.stopped(number).late;
  finish_quasi_invariants(job, write);
  if (job.entry->is_protected()) {
    // The page is protected again by a quasi-invariant that became valid meanwhile, or it is about
    // to be opened.
    if (invalidate_all(job) || !job.at_once)
      return false;
    // The thread about to open it waits for the stopped thread's call.
    Pages::instance().open(*job.entry);
  }
  for (const Invalidated &invalidated :
       job.quasi_invariants) // the page may be protected again from here on
    invalidated.quasi_invariant->end_write(invalidated.how.permission);
  for (const std::size_t number : job.stopped)
    watch.stopped(number).state = Stopped::State::none;
  watch.note_free();
  return true;
}

void FaultInvalidations::run() {
  thread_ = gettid();
  for (;;) {
    const std::uint32_t rings = bell_.rings();
    take_new();
    jobs_.remove_if([](Job &job) { return finish(job); });
    if (jobs_.empty())
      bell_.wait(rings);
    else
      bell_.wait(rings, kLookAgain);
  }
}

} // namespace sartor::runtime
