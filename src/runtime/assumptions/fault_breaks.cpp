// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/fault_breaks.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <unistd.h>

#include "base/blocking.h"
#include "base/life.h"
#include "base/reports.h"
#include "base/thread.h"
#include "runtime/assumptions/facts.h"
#include "runtime/assumptions/pages.h"

namespace sartor::runtime {

namespace {

using namespace std::chrono_literals;

/// Calls that take longer are worth an event.
constexpr auto kStalled = 5s;
constexpr timespec kLookAgain = {0, 50'000};

std::vector<std::shared_ptr<Fact>> facts_on(const PageEntry &entry) {
  auto facts = Facts::instance().about(Pages::instance().extent_of(entry));
  std::erase_if(facts, [](const auto &fact) { return !fact->protects_pages(); });
  return facts;
}

} // namespace

FaultBreaks &FaultBreaks::instance() {
  static auto *breaks = new FaultBreaks; // writers may stop until the process has ended
  return *breaks;
}

Result<void> FaultBreaks::start() {
  jobs_.clear(); // of the parent's, if this is a child
  auto thread = base::Thread::start("sartor-breaks", [this] { run(); });
  if (!thread)
    return std::unexpected(std::move(thread.error()));
  thread->detach();
  return {};
}

void FaultBreaks::break_at_once(PageEntry &entry) {
  for (const auto &fact : facts_on(entry)) {
    const PageBreak how = fact->begin_page_break();
    fact->finish_page_break(how, Waited::not_at_all, {});
    fact->end_write(how.permission);
  }
}

bool FaultBreaks::break_all(Job &job) {
  bool any = false;
  bool is_to_wait = false;
  for (auto &fact : facts_on(*job.entry)) {
    if (std::ranges::find(job.facts, fact, &Broken::fact) != job.facts.end())
      continue;
    any = true;
    const PageBreak how = fact->begin_page_break();
    is_to_wait = is_to_wait || how.is_to_wait;
    job.facts.push_back({std::move(fact), how});
  }
  for (const std::size_t number : job.stopped)
    FaultWatch::instance().stopped(number).state = Stopped::State::led;
  if (is_to_wait && !job.at_once) {
    job.calls.emplace();
    base::note_break();
  }
  return any;
}

void FaultBreaks::add(std::size_t number) {
  Stopped &stopped = FaultWatch::instance().stopped(number);
  auto job = std::ranges::find(jobs_, stopped.entry, &Job::entry);
  const bool is_new = job == jobs_.end();
  if (is_new) {
    job = jobs_.emplace(jobs_.end());
    job->entry = stopped.entry;
    job->begin = Fact::Clock::now();
  }
  job->stopped.push_back(number);
  job->at_once = job->at_once || stopped.inside || stopped.late;
  if (is_new)
    (void)break_all(*job);
  else
    stopped.state = Stopped::State::led;
}

void FaultBreaks::take_new() {
  for (std::size_t number = 0; number < FaultWatch::kMost; ++number)
    if (FaultWatch::instance().stopped(number).state == Stopped::State::told)
      add(number);
}

bool FaultBreaks::is_to_wait(Job &job) {
  if (job.at_once || !job.calls || base::is_exiting())
    return false;
  const pid_t reader = job.calls->reader_that_runs();
  if (reader != 0 && !job.told && Fact::Clock::now() - job.begin > kStalled) {
    job.told = true;
    base::report("stalled", {{"thread", std::to_string(reader)},
                             {"message", "is in a call of a handler for long: who writes to what "
                                         "is folded there waits"}});
  }
  return reader != 0;
}

void FaultBreaks::finish_facts(Job &job, const PageWrite &write) {
  const Waited waited = job.at_once || write.late               ? Waited::not_at_all
                        : job.calls && job.calls->reader() != 0 ? Waited::for_running
                                                                : Waited::for_all;
  for (Broken &broken : job.facts)
    if (!std::exchange(broken.done, true))
      broken.fact->finish_page_break(broken.how, waited, write);
}

bool FaultBreaks::finish(Job &job) {
  if (is_to_wait(job))
    return false;
  FaultWatch &watch = FaultWatch::instance();
  PageWrite write = {watch.stopped(job.stopped.front()).fault.address, false};
  for (const std::size_t number : job.stopped)
    write.late = write.late || watch.stopped(number).late;
  finish_facts(job, write);
  if (job.entry->is_protected()) {
    // For a fact that came to be protected meanwhile; or it is about to be opened.
    if (break_all(job) || !job.at_once)
      return false;
    Pages::instance().open(*job.entry); // who is about to, waits for the stopped thread's call
  }
  for (const Broken &broken : job.facts) // from now on it may be protected again
    broken.fact->end_write(broken.how.permission);
  for (const std::size_t number : job.stopped)
    watch.stopped(number).state = Stopped::State::none;
  watch.note_free();
  return true;
}

void FaultBreaks::run() {
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
