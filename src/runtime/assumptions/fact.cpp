// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/fact.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include <cxxabi.h>

#include "base/no_cancel.h"
#include "base/reports.h"
#include "base/signal_context.h"
#include "runtime/assumptions/facts.h"
#include "runtime/assumptions/making.h"
#include "runtime/assumptions/registry.h"
#include "runtime/assumptions/signal_writes.h"

namespace sartor::runtime {

namespace {

base::Mutex &mutex_of(const Fact *fact) {
  constexpr std::size_t kMutexes = 64;
  static auto *const mutexes = new std::array<base::Mutex, kMutexes>; // as long as facts
  return mutexes->at(std::hash<const Fact *>()(fact) / alignof(std::max_align_t) % kMutexes);
}

// How many answers this thread is in. Its address says which thread it is, also in a child.
[[gnu::tls_model("initial-exec")]] thread_local constinit unsigned answers_begun = 0;

std::uintptr_t this_thread() { return reinterpret_cast<std::uintptr_t>(&answers_begun); }

} // namespace

Fact::Fact(std::string name, QuasiInvariantOptions options)
    : name_(std::move(name)), options_(std::move(options)), mutex_(mutex_of(this)),
      back_off_(options_.back_off) {}

Fact::~Fact() = default;

Result<void> Fact::add(const WatchedPart &part, bool inside) {
  if (auto claimed = claim_pages(part); !claimed)
    return claimed;
  ++writers_;
  break_now(/*at_once=*/inside, Clock::now());
  Result<std::uint64_t> number = 0;
  {
    const base::MutexLock lock(mutex_);
    number = Registry::instance().promise(number_, part.object, part.part, Lasting::while_it_holds);
    if (number) {
      take_number(*number);
      parts_.push_back(part);
      if (armed_)
        arm(part);
    }
  }
  if (number)
    Facts::instance().add_part(*this, part.part);
  end_write(Permission::given);
  if (!number)
    return std::unexpected(std::move(number.error()));
  return {};
}

void Fact::close(bool inside) {
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
  const bool held = registry.withdraw(numbers.back());
  {
    const base::MutexLock lock(mutex_);
    tell("fact_dropped");
  }
  Making::instance().forget(numbers.back());
  if (!inside) {
    for (const std::uint64_t number : numbers)
      registry.wait_until_over(number);
  } else if (held) {
    registry.note_when_over(numbers.back());
    registry.tell_not_waited_for(numbers.back());
  }
  const base::MutexLock lock(mutex_);
  open_pages();
  if (!pages_.empty())
    Pages::instance().release(std::exchange(pages_, {}));
}

void Fact::set_armed(bool armed) {
  if (armed_.exchange(armed) == armed)
    return;
  for (const WatchedPart &part : parts_)
    armed ? arm(part) : disarm(part);
}

/// The program is asked, one thread at a time. Whoever waits for that is in no answer, so that no
/// circle of answers comes about.
class Fact::Answering {
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

  /// False within the same fact's answer, or within another's if somebody else is asked now.
  [[nodiscard]] bool has_begun() const { return has_begun_; }

private:
  std::atomic<std::uintptr_t> &thread_;
  bool has_begun_ = false;
};

Fact::Asked Fact::ask(void *address, std::size_t size) {
  const auto &question = options_.refuse ? options_.refuse : options_.reinforce;
  if (!question)
    return Asked::nobody;
  const Answering answering(answering_);
  if (!answering.has_begun())
    return Asked::nobody;
  bool left_out = false;
  try {
    left_out = base::run_program(question, address, size);
  } catch (const abi::__forced_unwind &) { // the thread ends
    throw;
  } catch (...) {
    base::report("fact_not_answered", {{"fact", name_},
                                       {"message", "asked what to do about a write, the program "
                                                   "threw an exception: the fact breaks"}});
  }
  if (!left_out)
    return Asked::nobody;
  return options_.refuse ? Asked::refused : Asked::reinforced;
}

/// Ends a write that does not begin after all.
class Fact::Leaving {
public:
  explicit Leaving(Fact &fact) : fact_(&fact) {}
  ~Leaving() {
    if (fact_)
      fact_->end_write(Permission::unasked);
  }
  Leaving(const Leaving &) = delete;
  Leaving &operator=(const Leaving &) = delete;

  void stay() { fact_ = nullptr; }

private:
  Fact *fact_;
};

bool Fact::begin_unasked() {
  ++writers_; // before it is looked whether it is armed: who arms it looks the other way round
  return !armed_;
}

Permission Fact::ask_to_write(void *address, std::size_t size, bool inside) {
  const base::NoCancel no_cancel;
  Leaving leaving(*this);
  const auto begin = Clock::now();
  bool is_asked = false;
  {
    const base::MutexLock lock(mutex_);
    is_asked = answers();
  }
  if (is_asked)
    if (const Asked asked = ask(address, size); asked != Asked::nobody) {
      const base::MutexLock lock(mutex_);
      ++(asked == Asked::refused ? figures_.refused : figures_.reinforced);
      return Permission::none;
    }
  break_now(inside || options_.deferred, begin);
  leaving.stay();
  return Permission::given;
}

Breaking Fact::begin_breaking(Clock::time_point begin) {
  Registry &registry = Registry::instance();
  const base::MutexLock lock(mutex_);
  disturbed_ = true;
  waits_for_writers_ = true;
  Breaking breaking;
  breaking.begin = begin;
  breaking.broken = registry.suspend(number_, {options_.hold_callers, held_callers_});
  breaking.would_hold = std::exchange(set_aside_, false) || breaking.broken.held;
  if (breaking.would_hold)
    note_break(begin, breaking.broken.held);
  std::erase_if(left_, [&](std::uint64_t left) { return registry.is_over(left); });
  breaking.numbers = left_;
  breaking.numbers.push_back(number_);
  return breaking;
}

void Fact::leave_behind(const Breaking &breaking) {
  Registry &registry = Registry::instance();
  const std::uint64_t number = breaking.numbers.back();
  {
    const base::MutexLock lock(mutex_);
    if (!registry.is_over(number)) {
      anew_ = true;
      if (breaking.would_hold)
        left_.push_back(number);
    }
  }
  if (breaking.broken.held)
    registry.note_when_over(number);
}

void Fact::end_breaking(const Breaking &breaking, bool at_once) {
  const auto took = static_cast<std::uint64_t>((Clock::now() - breaking.begin).count());
  {
    const base::MutexLock lock(mutex_);
    open_pages();
    if (!breaking.broken.held) {
      if (!at_once)
        set_armed(false);
      return;
    }
    disarm_ = !at_once; // once the writer has stored, who waits for that
    figures_.breaking_nanoseconds += took;
    figures_.longest_break_nanoseconds = std::max(figures_.longest_break_nanoseconds, took);
    record_.add_break(std::chrono::nanoseconds(took));
  }
  if (breaking.broken.could_be_better)
    Facts::instance().look_again();
}

// While it is armed, whoever comes second waits for what the first one waits for.
void Fact::break_now(bool at_once, Clock::time_point begin) {
  const Breaking breaking = begin_breaking(begin);
  if (at_once)
    leave_behind(breaking);
  else
    for (const std::uint64_t number : breaking.numbers)
      Registry::instance().wait_until_over(number);
  end_breaking(breaking, at_once);
}

void Fact::end_write(Permission permission) {
  unsigned before = writers_;
  do
    if (before == 0) // it was another thread's in the process that this one was forked off from
      return;
  while (!writers_.compare_exchange_weak(before, before - 1));
  const bool is_waited_for = before == 1 && waits_for_writers_;
  if (is_waited_for && base::is_in_signal_handler())
    SignalWrites::instance().try_facts();
  else if (permission == Permission::given || is_waited_for)
    try_again(permission, is_waited_for && waits_for_writers_.exchange(false));
}

void Fact::try_if_waited_for() {
  if (writers_ == 0 && waits_for_writers_.exchange(false))
    try_again(Permission::unasked, true);
}

void Fact::try_again(Permission permission, bool is_waited_for) {
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
    Facts::instance().try_later(*this, *due);
}

bool Fact::is_guarded() const {
  return used_by_hand_ || options_.protect_pages ||
         options_.check_every > options_.check_every.zero() ||
         std::ranges::all_of(parts_, is_watched);
}

bool Fact::is_true_now() const {
  try {
    return !options_.holds || base::run_program(options_.holds);
  } catch (const abi::__forced_unwind &) {
    throw;
  } catch (...) {
    return false;
  }
}

Fact::Clock::time_point Fact::later(Clock::time_point now) {
  set_armed(false);
  open_pages();
  const auto due = now + back_off_;
  back_off_ = std::min(2 * back_off_, options_.longest_back_off);
  return due;
}

bool Fact::begin_trying() {
  const base::MutexLock lock(mutex_);
  if (closed_ || number_ == 0 || answers())
    return false;
  waits_for_writers_ = true; // before it is looked who writes: who ends looks the other way round
  if (writers_ > 0)
    return false; // the last writer asks for another try
  waits_for_writers_ = false;
  disturbed_ = false;
  disarm_ = false; // who was to do so has stored, and may only come to it now
  set_armed(true);
  protect_pages();
  return true;
}

std::optional<Fact::Clock::time_point> Fact::finish_trying(base::Settled settled) {
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
    base::report("fact_not_armed",
                 {{"fact", name_},
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
    base::report("fact_unreadable", {{"fact", name_}, {"message", number.error().text()}});
    set_armed(false);
    open_pages();
    return std::nullopt;
  }
  take_number(*number);
  held_since_ = now;
  if (figures_.held++ == 0 && !is_guarded())
    base::report("fact_unguarded",
                 {{"fact", name_},
                  {"message", "its memory is neither watched by the compiler, nor protected, nor "
                              "compared, and no write guard has been used: whoever writes has to "
                              "use sartor::Write, or the fact needs SARTOR_WATCHED, "
                              "protect_pages or check_every"}});
  ++record_.held;
  changed_.notify_all();
  tell("fact_holds");
  return next_check(now);
}

void Fact::after_fork_in_child() {
  changed_.forget_waiters();
  writers_ = 0;
  waits_for_writers_ = false;
  if (answering_ != this_thread())
    answering_ = 0;
  const base::MutexLock lock(mutex_);
  set_aside_ = false; // by a thread that is not here
  alone_until_ = {};
}

std::vector<WatchedPart> Fact::parts() const {
  const base::MutexLock lock(mutex_);
  return parts_;
}

bool Fact::holds() const {
  const base::MutexLock lock(mutex_);
  return Registry::instance().holds(number_);
}

bool Fact::wait_until_holds(std::chrono::nanoseconds at_most) {
  const auto end = Clock::now() + at_most;
  const base::MutexLock lock(mutex_);
  while (!Registry::instance().holds(number_))
    if (!changed_.wait_until(mutex_, end))
      return Registry::instance().holds(number_);
  return true;
}

} // namespace sartor::runtime
