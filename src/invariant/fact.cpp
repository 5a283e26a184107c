// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "invariant/fact.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "engine/reports.h"
#include "invariant/facts.h"
#include "invariant/making.h"
#include "invariant/registry.h"

namespace sartor::invariant {

Fact::Fact(std::string name, QuasiInvariantOptions options)
    : name_(std::move(name)), options_(std::move(options)), back_off_(options_.back_off) {}

Fact::~Fact() = default;

Result<void> Fact::add(const WatchedPart &part, bool inside) {
  if (auto claimed = claim_pages(part); !claimed)
    return claimed;
  ++writers_;
  break_now(/*at_once=*/inside, Clock::now());
  Result<std::uint64_t> number = 0;
  {
    const std::lock_guard lock(mutex_);
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
    const std::lock_guard lock(mutex_);
    closed_ = true;
    set_aside_ = false;
    numbers = left_;
    numbers.push_back(number_);
    set_armed(false);
  }
  const bool held = registry.withdraw(numbers.back());
  {
    const std::lock_guard lock(mutex_);
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
  const std::lock_guard lock(mutex_);
  open_pages();
  if (!pages_.empty())
    Pages::instance().release(std::exchange(pages_, {}));
}

// With the lock held.
void Fact::set_armed(bool armed) {
  if (armed_.exchange(armed) == armed)
    return;
  for (const WatchedPart &part : parts_)
    armed ? arm(part) : disarm(part);
}

Fact::Asked Fact::ask(void *address, std::size_t size) {
  const auto &question = options_.refuse ? options_.refuse : options_.reinforce;
  if (!question || answering_ == std::this_thread::get_id()) // writes in its own answer
    return Asked::nobody;
  const std::lock_guard one_at_a_time(answering_mutex_);
  answering_ = std::this_thread::get_id();
  bool left_out = false;
  try {
    left_out = question(address, size);
  } catch (...) {
    engine::report("fact_not_answered", {{"fact", name_},
                                         {"message", "asked what to do about a write, the program "
                                                     "threw an exception: the fact breaks"}});
  }
  answering_ = std::thread::id();
  if (!left_out)
    return Asked::nobody;
  return options_.refuse ? Asked::refused : Asked::reinforced;
}

Permission Fact::begin_write(void *address, std::size_t size, bool inside) {
  ++writers_; // before it is looked whether it is armed: who arms it looks the other way round
  if (!armed_)
    return Permission::unasked;
  const auto begin = Clock::now();
  bool is_asked = false;
  {
    const std::lock_guard lock(mutex_);
    is_asked = answers();
  }
  if (is_asked)
    if (const Asked asked = ask(address, size); asked != Asked::nobody) {
      const std::lock_guard lock(mutex_);
      --writers_;
      ++(asked == Asked::refused ? figures_.refused : figures_.reinforced);
      return Permission::none;
    }
  break_now(inside || options_.deferred, begin);
  return Permission::given;
}

Breaking Fact::begin_breaking(Clock::time_point begin) {
  Registry &registry = Registry::instance();
  const std::lock_guard lock(mutex_);
  disturbed_ = true;
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
    const std::lock_guard lock(mutex_);
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
    const std::lock_guard lock(mutex_);
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
  if (writers_ == 0) // forked off meanwhile, by another thread of the parent's
    return;
  const bool is_last = --writers_ == 0;
  const bool is_waited_for = is_last && waits_for_writers_ && waits_for_writers_.exchange(false);
  if (permission == Permission::unasked && !is_waited_for)
    return;
  std::optional<Clock::time_point> due;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(disarm_, false))
      set_armed(false);
    if (is_last && !closed_ && number_ != 0)
      due = std::max(Clock::now() + back_off_, alone_until_);
  }
  if (due)
    Facts::instance().try_later(*this, *due);
}

bool Fact::is_true_now() const {
  try {
    return !options_.holds || options_.holds();
  } catch (...) {
    return false;
  }
}

// With the lock held.
Fact::Clock::time_point Fact::later(Clock::time_point now) {
  set_armed(false);
  open_pages();
  const auto due = now + back_off_;
  back_off_ = std::min(2 * back_off_, options_.longest_back_off);
  return due;
}

bool Fact::begin_trying() {
  const std::lock_guard lock(mutex_);
  if (closed_ || number_ == 0 || answers())
    return false;
  waits_for_writers_ = true; // before it is looked who writes: who ends looks the other way round
  if (writers_ > 0)
    return false; // the last writer asks for another try
  waits_for_writers_ = false;
  disturbed_ = false;
  set_armed(true);
  protect_pages();
  return true;
}

std::optional<Fact::Clock::time_point> Fact::finish_trying(bool settled) {
  const bool is_true =
      settled && !unprotected_ && is_true_now(); // takes locks of the program's perhaps
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (closed_)
    return std::nullopt;
  if (!settled)
    engine::report(
        "fact_not_armed",
        {{"fact", name_}, {"message", "a thread has not run for long, and may be about to write"}});
  if (!is_true || disturbed_ || writers_ > 0)
    return later(now);
  if (now < alone_until_) {
    set_armed(false);
    open_pages();
    return alone_until_;
  }
  auto number = Registry::instance().resume(number_, std::exchange(anew_, false));
  if (!number) {
    engine::report("fact_unreadable", {{"fact", name_}, {"message", number.error().text()}});
    set_armed(false);
    open_pages();
    return std::nullopt;
  }
  take_number(*number);
  held_since_ = now;
  ++figures_.held;
  ++record_.held;
  changed_.notify_all();
  tell("fact_holds");
  return next_check(now);
}

void Fact::after_fork_in_child() {
  new (&changed_) std::condition_variable; // its waiters are not here
  writers_ = 0;
  waits_for_writers_ = false;
  answering_ = std::thread::id();
  set_aside_ = false; // by a thread that is not here
  alone_until_ = {};
}

bool Fact::holds() const {
  const std::lock_guard lock(mutex_);
  return Registry::instance().holds(number_);
}

bool Fact::wait_until_holds(std::chrono::nanoseconds at_most) {
  std::unique_lock lock(mutex_.native());
  return changed_.wait_for(lock, at_most, [this] { return Registry::instance().holds(number_); });
}

} // namespace sartor::invariant
