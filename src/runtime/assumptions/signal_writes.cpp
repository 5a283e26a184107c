// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/signal_writes.h"

#include <cerrno>
#include <chrono>
#include <ctime>
#include <utility>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/futex.h"
#include "base/reports.h"
#include "base/thread.h"
#include "runtime/assumptions/fact.h"
#include "runtime/assumptions/facts.h"

namespace sartor::runtime {

namespace {

/// To break a fact takes microseconds. What takes so long waits for something that the interrupted
/// code has.
constexpr std::chrono::seconds kPatience{1};

// Other signals interrupt it.
void wait_long_enough_while(std::atomic<std::uint32_t> &word, std::uint32_t value) {
  timespec until{};
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += kPatience.count();
  while (word.load() == value && (syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, value,
                                          &until, nullptr, FUTEX_BITSET_MATCH_ANY) == 0 ||
                                  errno == EINTR))
    ;
}

/// A signal handler leaves it as it was.
class KeepErrno {
public:
  KeepErrno() = default;
  ~KeepErrno() { errno = before_; }
  KeepErrno(const KeepErrno &) = delete;
  KeepErrno &operator=(const KeepErrno &) = delete;

private:
  int before_ = errno;
};

} // namespace

SignalWrites &SignalWrites::instance() {
  static auto *writes = new SignalWrites; // handlers may run until the process has ended
  return *writes;
}

SignalWrites::SignalWrites() { base::add(*this); }

void SignalWrites::start() {
  const base::MutexLock lock(mutex_);
  if (running_)
    return;
  auto thread = base::Thread::start("sartor-signals", [this] { run(); });
  if (!thread) {
    base::report("no_thread", {{"message", thread.error().text()}});
    return;
  }
  running_ = true;
  thread->detach();
}

SignalWrites::Number SignalWrites::take() {
  for (std::size_t i = 0; i < kSlots; ++i) {
    auto free = static_cast<std::uint32_t>(State::free);
    if (slots_[i].state.compare_exchange_strong(free, static_cast<std::uint32_t>(State::taken)))
      return static_cast<Number>(i);
  }
  return kNone;
}

void SignalWrites::tell() {
  ++changes_;
  base::wake_all(changes_);
}

SignalWrites::Begun SignalWrites::begin(core::Extent memory, bool inside) {
  return begin(memory, nullptr, inside);
}

SignalWrites::Begun SignalWrites::begin(Fact &fact, bool inside) {
  return begin({}, &fact, inside);
}

SignalWrites::Begun SignalWrites::begin(core::Extent memory, Fact *fact, bool inside) {
  const KeepErrno keep;
  Number number = take();
  for (; number == kNone; number = take()) // as many handlers are about to write
    base::wait_while(changes_, changes_);
  Slot &slot = slots_.at(number);
  slot.memory = memory;
  slot.fact = fact;
  slot.inside = inside;
  const auto asked = static_cast<std::uint32_t>(State::asked);
  const auto late = static_cast<std::uint32_t>(State::late);
  const bool waits = running_ && !base::holds_any_mutex(gettid());
  slot.state = waits ? asked : late;
  tell();
  if (waits)
    wait_long_enough_while(slot.state, asked);
  auto still = asked;
  if (slot.state.compare_exchange_strong(still, late) || still == late ||
      slot.permission != Permission::none)
    return {Permission::given, number};
  end(number);
  return {Permission::none, kNone};
}

void SignalWrites::end(Number number) {
  const KeepErrno keep;
  Slot &slot = slots_.at(number);
  auto late = static_cast<std::uint32_t>(State::late);
  if (!slot.state.compare_exchange_strong(late, static_cast<std::uint32_t>(State::over)))
    slot.state = static_cast<std::uint32_t>(State::ended);
  tell();
}

void SignalWrites::try_facts() {
  const KeepErrno keep;
  tries_ = true;
  tell();
}

void SignalWrites::run() {
  for (;;) {
    const std::uint32_t seen = changes_;
    look();
    if (tries_.exchange(false))
      for (const auto &fact : Facts::instance().all())
        fact->try_if_waited_for();
    base::wait_while(changes_, seen);
  }
}

void SignalWrites::look() {
  for (Slot &slot : slots_)
    switch (static_cast<State>(slot.state.load())) {
    case State::asked:
    case State::late:
      if (slot.writes.empty())
        answer(slot);
      break;
    case State::over: // it has written, and nothing was taken out of service before
      if (slot.writes.empty())
        answer(slot);
      finish(slot);
      break;
    case State::ended:
      finish(slot);
      break;
    default:
      break;
    }
}

void SignalWrites::answer(Slot &slot) {
  auto facts = slot.fact ? Facts::instance().with_overlapping(*slot.fact)
                         : Facts::instance().about(slot.memory);
  const bool is_by_hand = slot.fact != nullptr;
  slot.permission = Permission::given;
  for (auto &fact : facts) {
    void *address = is_by_hand ? nullptr : reinterpret_cast<void *>(slot.memory.address);
    const Permission permission = fact->begin_write(
        address, is_by_hand ? 0 : slot.memory.end - slot.memory.address, slot.inside);
    if (permission == Permission::none) {
      slot.permission = Permission::none;
      break;
    }
    slot.writes.emplace_back(std::move(fact), permission);
  }
  if (slot.fact)
    std::exchange(slot.fact, nullptr)->end_write(Permission::unasked); // its handler's own
  auto asked = static_cast<std::uint32_t>(State::asked);
  if (slot.state.compare_exchange_strong(asked, static_cast<std::uint32_t>(State::answered))) {
    base::wake_all(slot.state);
    return;
  }
  for (const auto &[fact, permission] : slot.writes)
    if (permission == Permission::given)
      base::report("fact_broken_late",
                   {{"fact", fact->name()},
                    {"message", "has broken only after a signal handler's write, as the code that "
                                "the signal interrupted holds a lock that this takes: calls until "
                                "then ran code that was wrong. Write on a thread instead, or block "
                                "the signal there"}});
}

void SignalWrites::finish(Slot &slot) {
  for (const auto &[fact, permission] : slot.writes)
    fact->end_write(permission);
  slot.writes.clear();
  slot.state = static_cast<std::uint32_t>(State::free);
}

// Handlers of the parent's other threads are not here.
void SignalWrites::after_fork_in_child() {
  for (Slot &slot : slots_) {
    slot.writes.clear();
    slot.state = static_cast<std::uint32_t>(State::free);
  }
}

void SignalWrites::resume_in_child() {
  if (running_.exchange(false))
    start();
}

} // namespace sartor::runtime
