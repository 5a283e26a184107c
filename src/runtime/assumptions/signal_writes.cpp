// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/signal_writes.h"

#include <cerrno>
#include <chrono>
#include <ctime>
#include <memory>
#include <utility>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/reports.h"
#include "base/thread/futex.h"
#include "base/thread/thread.h"
#include "runtime/assumptions/quasi_invariant_state.h"
#include "runtime/assumptions/quasi_invariants.h"

namespace sartor::runtime {

namespace {

/// The longest time that a signal handler waits. Invalidation takes microseconds; if it takes this
/// long, it waits for something that the interrupted code holds.
constexpr std::chrono::seconds kPatience{1};

// Other signals interrupt the wait.
void wait_long_enough_while(std::atomic<std::uint32_t> &word, std::uint32_t value) {
  timespec until{};
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += kPatience.count();
  while (word.load() == value && (syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, value,
                                          &until, nullptr, FUTEX_BITSET_MATCH_ANY) == 0 ||
                                  errno == EINTR))
    ;
}

/// Preserves errno across a signal handler.
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
  // Never destroyed: signal handlers may run until the process has ended.
  static auto *writes = new SignalWrites;
  return *writes;
}

SignalWrites::SignalWrites() { base::add(*this); }

Result<void> SignalWrites::start() {
  const base::MutexLock lock(mutex_);
  if (running_)
    return {};
  auto thread = base::Thread::start("sartor-signals", [this] { run(); });
  if (!thread)
    return std::unexpected(std::move(thread.error()));
  running_ = true;
  thread->detach();
  return {};
}

SignalWrites::Number SignalWrites::take() {
  for (std::size_t i = 0; i < kSlots; ++i) {
    auto free = static_cast<std::uint32_t>(State::free);
    if (slots_[i].state.compare_exchange_strong(free, static_cast<std::uint32_t>(State::taken)))
      return static_cast<Number>(i);
  }
  return kNone;
}

void SignalWrites::report() {
  ++changes_;
  base::wake_all(changes_);
}

SignalWrites::Begun SignalWrites::begin(core::Extent memory, bool inside) {
  return begin(memory, nullptr, inside);
}

SignalWrites::Begun SignalWrites::begin(QuasiInvariantState &quasi_invariant, bool inside) {
  return begin({}, &quasi_invariant, inside);
}

SignalWrites::Begun SignalWrites::begin(core::Extent memory, QuasiInvariantState *quasi_invariant,
                                        bool inside) {
  const KeepErrno keep;
  Number number = take();
  // All slots are taken by signal handlers that are about to write.
  for (; number == kNone; number = take())
    base::wait_while(changes_, changes_);
  Slot &slot = slots_.at(number);
  slot.memory = memory;
  slot.quasi_invariant = quasi_invariant;
  slot.inside = inside;
  const auto asked = static_cast<std::uint32_t>(State::asked);
  const auto late = static_cast<std::uint32_t>(State::late);
  const bool waits = running_ && !base::holds_any_mutex(gettid());
  slot.state = waits ? asked : late;
  report();
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
  report();
}

void SignalWrites::try_quasi_invariants() {
  const KeepErrno keep;
  tries_ = true;
  report();
}

void SignalWrites::run() {
  for (;;) {
    const std::uint32_t seen = changes_;
    look();
    if (tries_.exchange(false))
      for (const auto &quasi_invariant : QuasiInvariants::instance().all())
        quasi_invariant->try_if_waited_for();
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
    case State::over: // the write was made before any code was deactivated
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
  auto quasi_invariants = slot.quasi_invariant
                              ? QuasiInvariants::instance().with_overlapping(*slot.quasi_invariant)
                              : QuasiInvariants::instance().about(slot.memory);
  const bool is_by_hand = slot.quasi_invariant != nullptr;
  slot.permission = Permission::given;
  for (auto &quasi_invariant : quasi_invariants) {
    void *address = is_by_hand ? nullptr : reinterpret_cast<void *>(slot.memory.address);
    const Permission permission = quasi_invariant->begin_write(
        address, is_by_hand ? 0 : slot.memory.end - slot.memory.address, slot.inside);
    if (permission == Permission::none) {
      slot.permission = Permission::none;
      break;
    }
    slot.writes.emplace_back(std::move(quasi_invariant), permission);
  }
  if (slot.quasi_invariant)
    std::exchange(slot.quasi_invariant, nullptr)
        ->end_write(Permission::unasked); // the write that the signal handler began itself
  auto asked = static_cast<std::uint32_t>(State::asked);
  if (slot.state.compare_exchange_strong(asked, static_cast<std::uint32_t>(State::answered))) {
    base::wake_all(slot.state);
    return;
  }
  for (const auto &[quasi_invariant, permission] : slot.writes)
    if (permission == Permission::given)
      base::report(
          "quasi_invariant_invalidated_late",
          {{"quasi_invariant", quasi_invariant->name()},
           {"message", "was invalidated only after a signal handler's write, because the "
                       "interrupted code holds a lock that invalidation takes: calls until "
                       "then ran wrong code. Write on a thread instead, or block the "
                       "signal there"}});
}

void SignalWrites::finish(Slot &slot) {
  for (const auto &[quasi_invariant, permission] : slot.writes)
    quasi_invariant->end_write(permission);
  slot.writes.clear();
  slot.state = static_cast<std::uint32_t>(State::free);
}

// Signal handlers of the parent's other threads do not run in the child.
void SignalWrites::after_fork_in_child() {
  resumes_ = running_.exchange(false);
  for (Slot &slot : slots_) {
    std::construct_at(&slot.writes); // the parent's thread may have been changing it
    slot.state = static_cast<std::uint32_t>(State::free);
  }
}

void SignalWrites::resume_in_child() {
  if (!resumes_)
    return;
  if (auto started = start(); !started)
    base::report("no_thread", started.error());
}

} // namespace sartor::runtime
