// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/quasi_invariant_state.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include <cxxabi.h>

#include "base/reports.h"
#include "base/signal_context.h"
#include "base/thread/no_cancel.h"
#include "runtime/assumptions/making.h"
#include "runtime/assumptions/quasi_invariants.h"
#include "runtime/assumptions/registry.h"
#include "runtime/assumptions/signal_writes.h"

namespace sartor::runtime {

namespace {

base::Mutex &mutex_of(const QuasiInvariantState *quasi_invariant) {
  constexpr std::size_t kMutexes = 64;
  // Never destroyed, as quasi-invariants may be.
  static auto *const mutexes = new std::array<base::Mutex, kMutexes>;
  return mutexes->at(std::hash<const QuasiInvariantState *>()(quasi_invariant) /
                     alignof(std::max_align_t) % kMutexes);
}

// The number of answers that this thread is in. The variable's address identifies the thread, also
// in a child process.
[[gnu::tls_model("initial-exec")]] thread_local constinit unsigned answers_begun = 0;

std::uintptr_t this_thread() { return reinterpret_cast<std::uintptr_t>(&answers_begun); }

} // namespace

QuasiInvariantState::QuasiInvariantState(std::string name, QuasiInvariantOptions options)
    : name_(std::move(name)), options_(std::move(options)), mutex_(mutex_of(this)),
      back_off_(options_.back_off) {}

QuasiInvariantState::~QuasiInvariantState() = default;

Result<void> QuasiInvariantState::add(const WatchedPart &part, bool inside) {
  if (auto claimed = claim_pages(part); !claimed)
    return claimed;
  ++writers_;
  invalidate_now(/*at_once=*/inside, Clock::now());
  Result<std::uint64_t> number = 0;
  {
    const base::MutexLock lock(mutex_);
    number = Registry::instance().declare(number_, part.object, part.part, Lasting::while_valid);
    if (number) {
      take_number(*number);
      parts_.push_back(part);
      if (armed_)
        arm(part);
    }
  }
  if (number)
    QuasiInvariants::instance().add_part(*this, part.part);
  end_write(Permission::given);
  if (!number)
    return std::unexpected(std::move(number.error()));
  return {};
}

void QuasiInvariantState::close(bool inside) {
  Registry &registry = Registry::instance();
  std::vector<std::uint64_t> numbers;
  {
    const base::MutexLock lock(mutex_);
    closed_ = true;
    set_aside_ = false;
    numbers = left_;
    numbers.push_back(number_);
    set_armed(false);
  }
  const bool held = registry.revoke(numbers.back());
  {
    const base::MutexLock lock(mutex_);
    report("quasi_invariant_dropped");
  }
  Making::instance().forget(numbers.back());
  if (!inside) {
    for (const std::uint64_t number : numbers)
      registry.wait_until_over(number);
  } else if (held) {
    registry.note_when_over(numbers.back());
    registry.report_not_waited_for(numbers.back());
  }
  const base::MutexLock lock(mutex_);
  open_pages();
  if (!pages_.empty())
    Pages::instance().release(std::exchange(pages_, {}));
}

void QuasiInvariantState::set_armed(bool armed) {
  if (armed_.exchange(armed) == armed)
    return;
  for (const WatchedPart &part : parts_)
    armed ? arm(part) : disarm(part);
}

/// Asks the program, one thread at a time. A thread that waits for this is itself in no answer, so
/// that answers cannot wait for each other in a cycle.
class QuasiInvariantState::Answering {
public:
  explicit Answering(std::atomic<std::uintptr_t> &thread) : thread_(thread) {
    std::uintptr_t other = 0;
    while (!thread_.compare_exchange_strong(other, this_thread())) {
      if (other == this_thread() || answers_begun > 0)
        return;
      thread_.wait(other);
      other = 0;
    }
    has_begun_ = true;
    ++answers_begun;
  }
  ~Answering() {
    if (!has_begun_)
      return;
    --answers_begun;
    thread_ = 0;
    thread_.notify_all();
  }
  Answering(const Answering &) = delete;
  Answering &operator=(const Answering &) = delete;

  /// False within an answer about the same quasi-invariant, or within one about another if another
  /// thread is being asked now.
  [[nodiscard]] bool has_begun() const { return has_begun_; }

private:
  std::atomic<std::uintptr_t> &thread_;
  bool has_begun_ = false;
};

QuasiInvariantState::Asked QuasiInvariantState::ask(void *address, std::size_t size) {
  const auto &question = options_.refuse ? options_.refuse : options_.reinforce;
  if (!question)
    return Asked::neither;
  const Answering answering(answering_);
  if (!answering.has_begun())
    return Asked::neither;
  bool left_out = false;
  try {
    left_out = base::run_program(question, address, size);
  } catch (const abi::__forced_unwind &) { // the thread is being cancelled
    throw;
  } catch (...) {
    base::report("quasi_invariant_not_answered",
                 {{"quasi_invariant", name_},
                  {"message", "the program's callback for a write threw an exception: the "
                              "quasi-invariant is invalidated"}});
  }
  if (!left_out)
    return Asked::neither;
  return options_.refuse ? Asked::refused : Asked::reinforced;
}

/// Ends a write that does not begin after all.
class QuasiInvariantState::Leaving {
public:
  explicit Leaving(QuasiInvariantState &quasi_invariant) : quasi_invariant_(&quasi_invariant) {}
  ~Leaving() {
    if (quasi_invariant_)
      quasi_invariant_->end_write(Permission::unasked);
  }
  Leaving(const Leaving &) = delete;
  Leaving &operator=(const Leaving &) = delete;

  void stay() { quasi_invariant_ = nullptr; }

private:
  QuasiInvariantState *quasi_invariant_;
};

bool QuasiInvariantState::begin_unasked() {
  ++writers_; // counted before `armed_` is read: a thread that arms it checks in the opposite order
  return !armed_;
}

Permission QuasiInvariantState::ask_to_write(void *address, std::size_t size, bool inside) {
  const base::NoCancel no_cancel;
  Leaving leaving(*this);
  const auto begin = Clock::now();
  bool is_asked = false;
  {
    const base::MutexLock lock(mutex_);
    is_asked = answers();
  }
  if (is_asked)
    if (const Asked asked = ask(address, size); asked != Asked::neither) {
      const base::MutexLock lock(mutex_);
      ++(asked == Asked::refused ? figures_.refused : figures_.reinforced);
      return Permission::none;
    }
  invalidate_now(inside || options_.deferred, begin);
  leaving.stay();
  return Permission::given;
}

Invalidation QuasiInvariantState::begin_invalidation(Clock::time_point begin) {
  Registry &registry = Registry::instance();
  const base::MutexLock lock(mutex_);
  disturbed_ = true;
  waits_for_writers_ = true;
  Invalidation invalidating;
  invalidating.begin = begin;
  invalidating.invalidated = registry.suspend(number_, {options_.hold_callers, held_callers_});
  invalidating.would_hold = std::exchange(set_aside_, false) || invalidating.invalidated.held;
  if (invalidating.would_hold)
    note_invalidation(begin, invalidating.invalidated.held);
  std::erase_if(left_, [&](std::uint64_t left) { return registry.is_over(left); });
  invalidating.numbers = left_;
  invalidating.numbers.push_back(number_);
  return invalidating;
}

void QuasiInvariantState::leave_behind(const Invalidation &invalidating) {
  Registry &registry = Registry::instance();
  const std::uint64_t number = invalidating.numbers.back();
  {
    const base::MutexLock lock(mutex_);
    if (!registry.is_over(number)) {
      anew_ = true;
      if (invalidating.would_hold)
        left_.push_back(number);
    }
  }
  if (invalidating.invalidated.held)
    registry.note_when_over(number);
}

void QuasiInvariantState::end_invalidation(const Invalidation &invalidating, bool at_once) {
  const auto took = static_cast<std::uint64_t>((Clock::now() - invalidating.begin).count());
  {
    const base::MutexLock lock(mutex_);
    open_pages();
    if (!invalidating.invalidated.held) {
      if (!at_once)
        set_armed(false);
      return;
    }
    disarm_ = !at_once; // after the writer's store, for which the writer has waited
    figures_.invalidation_nanoseconds += took;
    figures_.longest_invalidation_nanoseconds =
        std::max(figures_.longest_invalidation_nanoseconds, took);
    record_.add_invalidation(std::chrono::nanoseconds(took));
  }
  if (invalidating.invalidated.could_be_better)
    QuasiInvariants::instance().look_again();
}

// While the quasi-invariant is armed, a second writer waits for the same calls as the first.
void QuasiInvariantState::invalidate_now(bool at_once, Clock::time_point begin) {
  const Invalidation invalidating = begin_invalidation(begin);
  if (at_once)
    leave_behind(invalidating);
  else
    for (const std::uint64_t number : invalidating.numbers)
      Registry::instance().wait_until_over(number);
  end_invalidation(invalidating, at_once);
}

void QuasiInvariantState::end_write(Permission permission) {
  unsigned before = writers_;
  do
    if (before == 0) // it was counted by another thread of the parent process
      return;
  while (!writers_.compare_exchange_weak(before, before - 1));
  const bool is_waited_for = before == 1 && waits_for_writers_;
  if (is_waited_for && base::is_in_signal_handler())
    SignalWrites::instance().try_quasi_invariants();
  else if (permission == Permission::given || is_waited_for)
    try_again(permission, is_waited_for && waits_for_writers_.exchange(false));
}

void QuasiInvariantState::try_if_waited_for() {
  if (writers_ == 0 && waits_for_writers_.exchange(false))
    try_again(Permission::unasked, true);
}

void QuasiInvariantState::try_again(Permission permission, bool is_waited_for) {
  const base::NoCancel no_cancel;
  std::optional<Clock::time_point> due;
  {
    const base::MutexLock lock(mutex_);
    if (permission == Permission::given && std::exchange(disarm_, false))
      set_armed(false);
    if (is_waited_for && !closed_ && number_ != 0)
      due = std::max(Clock::now() + back_off_, alone_until_);
  }
  if (due)
    QuasiInvariants::instance().try_later(*this, *due);
}

bool QuasiInvariantState::is_guarded() const {
  return used_by_hand_ || options_.protect_pages ||
         options_.check_every > options_.check_every.zero() ||
         std::ranges::all_of(parts_, is_watched);
}

bool QuasiInvariantState::is_true_now() const {
  try {
    return !options_.validate || base::run_program(options_.validate);
  } catch (const abi::__forced_unwind &) {
    throw;
  } catch (...) {
    return false;
  }
}

QuasiInvariantState::Clock::time_point QuasiInvariantState::later(Clock::time_point now) {
  set_armed(false);
  open_pages();
  const auto due = now + back_off_;
  back_off_ = std::min(2 * back_off_, options_.longest_back_off);
  return due;
}

bool QuasiInvariantState::begin_trying() {
  const base::MutexLock lock(mutex_);
  if (closed_ || number_ == 0 || answers())
    return false;
  // Set before the writers are counted: a writer that ends checks in the opposite order.
  waits_for_writers_ = true;
  if (writers_ > 0)
    return false; // the last writer requests another attempt
  waits_for_writers_ = false;
  disturbed_ = false;
  disarm_ = false; // the writer that was to disarm it has stored, but may get there only now
  set_armed(true);
  protect_pages();
  return true;
}

std::optional<QuasiInvariantState::Clock::time_point>
QuasiInvariantState::finish_trying(base::Settled settled) {
  bool is_true = settled == base::Settled::yes;
  if (is_true) {
    const base::MutexLock lock(mutex_);
    is_true = !unprotected_;
  }
  is_true = is_true && is_true_now();
  const base::MutexLock lock(mutex_);
  const auto now = Clock::now();
  if (closed_)
    return std::nullopt;
  if (settled != base::Settled::yes)
    base::report("quasi_invariant_not_armed",
                 {{"quasi_invariant", name_},
                  {"reason", settled == base::Settled::too_busy ? "too_busy" : "no_descriptors"},
                  {"message", settled == base::Settled::too_busy
                                  ? "a thread has not run for long, and may be about to write"
                                  : "there is no file descriptor left to look at the process's "
                                    "threads with: allow it more open files (ulimit -n)"}});
  if (!is_true || disturbed_ || writers_ > 0)
    return later(now);
  if (now < alone_until_) {
    set_armed(false);
    open_pages();
    return alone_until_;
  }
  auto number = Registry::instance().resume(number_, std::exchange(anew_, false));
  if (!number) {
    base::report("quasi_invariant_unreadable",
                 {{"quasi_invariant", name_}, {"message", number.error().text()}});
    set_armed(false);
    open_pages();
    return std::nullopt;
  }
  take_number(*number);
  held_since_ = now;
  if (figures_.held++ == 0 && !is_guarded())
    base::report(
        "quasi_invariant_unguarded",
        {{"quasi_invariant", name_},
         {"message", "its memory is neither watched by the compiler, nor protected, nor "
                     "compared, and no write guard has been used: use sartor::Write in its "
                     "writers, or SARTOR_WATCHED, protect_pages or check_every"}});
  ++record_.held;
  changed_.notify_all();
  report("quasi_invariant_valid");
  return next_check(now);
}

void QuasiInvariantState::after_fork_in_child() {
  changed_.forget_waiters();
  writers_ = 0;
  waits_for_writers_ = false;
  if (answering_ != this_thread())
    answering_ = 0;
  const base::MutexLock lock(mutex_);
  set_aside_ = false; // set by a thread that does not exist in the child
  alone_until_ = {};
}

std::vector<WatchedPart> QuasiInvariantState::parts() const {
  const base::MutexLock lock(mutex_);
  return parts_;
}

bool QuasiInvariantState::valid() const {
  const base::MutexLock lock(mutex_);
  return Registry::instance().valid(number_);
}

bool QuasiInvariantState::wait_until_valid(std::chrono::nanoseconds at_most) {
  const auto end = Clock::now() + at_most;
  QuasiInvariants::instance().ensure_started();
  const base::MutexLock lock(mutex_);
  while (!Registry::instance().valid(number_))
    if (!changed_.wait_until(mutex_, end))
      return Registry::instance().valid(number_);
  return true;
}

} // namespace sartor::runtime
