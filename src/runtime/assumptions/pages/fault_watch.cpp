// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/pages/fault_watch.h"

#include <cerrno>
#include <ctime>
#include <new>
#include <utility>

#include "base/map_pages.h"
#include "base/readers.h"
#include "base/thread/mutex.h"
#include "base/thread/thread.h"
#include "runtime/assumptions/pages/fault_invalidations.h"
#include "runtime/assumptions/pages/pages.h"

namespace sartor::runtime {

namespace {

using namespace std::chrono_literals;

/// The longest time that a stopped thread waits. Invalidation takes microseconds; if it takes this
/// long, it waits for something that the stopped thread holds: the allocator's lock, or one of the
/// program's.
constexpr auto kPatience = 1s;
constexpr timespec kLookForFaults = {0, 20'000'000};

} // namespace

// The watch is in pages of its own, as the page table is.
FaultWatch &FaultWatch::instance() {
  static auto *watch = [] {
    void *memory = base::map_pages(sizeof(FaultWatch));
    return memory ? new (memory) FaultWatch : new FaultWatch;
  }();
  return *watch;
}

Result<int> FaultWatch::start(FaultDescriptor &descriptor) {
  for (Stopped &stopped : stopped_)
    stopped.state = Stopped::State::none; // the stopped threads are the parent's
  descriptor_ = &descriptor;
  opened_ = -1;
  auto thread = base::Thread::start("sartor-pages", [this] { run(); });
  if (!thread)
    return std::unexpected(std::move(thread.error()));
  thread->detach();
  for (auto rings = open_.rings(); opened_ < 0; rings = open_.rings())
    open_.wait(rings);
  return opened_;
}

void FaultWatch::report(const Fault &fault) {
  for (;;) {
    const std::uint32_t rings = free_.rings();
    for (Stopped &stopped : stopped_) {
      auto none = Stopped::State::none;
      if (!stopped.state.compare_exchange_strong(none, Stopped::State::taken))
        continue;
      stopped.fault = fault;
      stopped.state = Stopped::State::fresh;
      descriptor_->bell().ring();
      return;
    }
    free_.wait(rings);
  }
}

void FaultWatch::let_go(Stopped &stopped) {
  stopped.late = true;
  Pages::instance().open(*stopped.entry);
}

void FaultWatch::take(Stopped &stopped) {
  const Pages &pages = Pages::instance();
  PageEntry *entry = pages.find(stopped.fault.address);
  if (!entry || !entry->is_protected()) {
    if (entry) // the page has been opened since, or is just about to be protected
      descriptor_->wake(entry->page, pages.extent_of(*entry).end - entry->page);
    stopped.state = Stopped::State::none;
    note_free();
    return;
  }
  stopped.entry = entry;
  stopped.inside = base::is_inside_handler(stopped.fault.thread);
  stopped.late = false;
  stopped.since = Clock::now();
  FaultInvalidations &invalidations = FaultInvalidations::instance();
  if (invalidations.is_its_own(stopped.fault.thread) || base::holds_any_mutex(stopped.fault.thread))
    let_go(stopped);
  stopped.state = Stopped::State::reported;
  invalidations.report();
}

bool FaultWatch::look_at_time() {
  bool any = false;
  for (Stopped &stopped : stopped_)
    if (stopped.state == Stopped::State::reported && !stopped.late) {
      any = true;
      if (Clock::now() - stopped.since > kPatience)
        let_go(stopped);
    }
  return any;
}

void FaultWatch::run() {
  int error = descriptor_->open();
  if (error == 0) {
    if (auto reader = base::Thread::start("sartor-faults", [this] { read(); }))
      reader->detach();
    else
      error = EAGAIN;
  }
  opened_ = error;
  open_.ring();
  base::Bell &bell = descriptor_->bell();
  for (;;) {
    const std::uint32_t rings = bell.rings();
    descriptor_->serve();
    for (Stopped &stopped : stopped_)
      if (stopped.state == Stopped::State::fresh)
        take(stopped);
    if (look_at_time())
      bell.wait(rings, kLookForFaults);
    else
      bell.wait(rings);
  }
}

void FaultWatch::read() {
  for (;;)
    if (const auto fault = descriptor_->next())
      report(*fault);
}

} // namespace sartor::runtime
