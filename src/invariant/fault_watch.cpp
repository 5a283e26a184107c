// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "invariant/fault_watch.h"

#include <algorithm>
#include <new>

#include <poll.h>
#include <sys/mman.h>

#include "engine/mutex.h"
#include "engine/readers.h"
#include "engine/thread.h"
#include "invariant/fault_breaks.h"
#include "invariant/fault_signal.h"
#include "invariant/pages.h"

namespace sartor::invariant {

namespace {

using namespace std::chrono_literals;

/// To break a fact takes microseconds. What takes so long waits for something that the stopped
/// thread has: the allocator's lock, or one of the program's.
constexpr auto kPatience = 1s;
constexpr int kLookAgain = 20; // milliseconds

} // namespace

// In memory of its own, as the table is.
FaultWatch &FaultWatch::instance() {
  static auto *watch = [] {
    void *memory = mmap(nullptr, sizeof(FaultWatch), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? new FaultWatch : new (memory) FaultWatch;
  }();
  return *watch;
}

Result<void> FaultWatch::start() {
  for (Stopped &stopped : stopped_)
    stopped.state = Stopped::State::none; // they are the parent's
  auto thread = engine::Thread::start("sartor-pages", [this] { run(); });
  if (!thread)
    return std::unexpected(std::move(thread.error()));
  thread->detach();
  return {};
}

Stopped *FaultWatch::free_one() {
  auto found = std::ranges::find(stopped_, Stopped::State::none,
                                 [](const Stopped &each) { return each.state.load(); });
  return found == stopped_.end() ? nullptr : &*found;
}

void FaultWatch::let_go(Stopped &stopped) {
  stopped.late = true;
  Pages::instance().open(*stopped.entry);
}

void FaultWatch::take(const Fault &fault, Stopped &to) {
  const Pages &pages = Pages::instance();
  PageEntry *entry = pages.find(fault.address);
  if (!entry || !entry->is_protected()) {
    if (entry) // opened since, or just about to be protected
      pages.descriptor().wake(entry->page, pages.extent_of(*entry).end - entry->page);
    return;
  }
  to.entry = entry;
  to.fault = fault;
  to.inside = engine::is_inside_handler(fault.thread);
  to.late = false;
  to.since = Clock::now();
  FaultBreaks &breaks = FaultBreaks::instance();
  if (breaks.is_its_own(fault.thread) || engine::holds_any_mutex(fault.thread))
    let_go(to);
  to.state = Stopped::State::told;
  breaks.tell(static_cast<std::size_t>(&to - stopped_.data()));
}

bool FaultWatch::look_at_time() {
  bool any = false;
  for (Stopped &stopped : stopped_)
    if (stopped.state == Stopped::State::told && !stopped.late) {
      any = true;
      if (Clock::now() - stopped.since > kPatience)
        let_go(stopped);
    }
  return any;
}

void FaultWatch::run() {
  for (;;) {
    const FaultDescriptor &descriptor = Pages::instance().descriptor();
    const bool waits = look_at_time();
    const bool full = !free_one();
    std::array<pollfd, 2> files = {pollfd{descriptor.file(), POLLIN, 0},
                                   pollfd{FaultSignal::file(), POLLIN, 0}};
    (void)poll(files.data(), full ? 0 : files.size(), waits || full ? kLookAgain : -1);
    for (Stopped *to = free_one(); to; to = free_one()) {
      auto fault = descriptor.next();
      if (!fault)
        fault = FaultSignal::next();
      if (!fault)
        break;
      take(*fault, *to);
    }
  }
}

} // namespace sartor::invariant
