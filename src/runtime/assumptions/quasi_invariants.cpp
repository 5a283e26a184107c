// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/quasi_invariants.h"

#include <algorithm>
#include <utility>

#include "base/reports.h"
#include "base/settle.h"
#include "runtime/assumptions/open_writes.h"
#include "runtime/assumptions/registry.h"
#include "runtime/assumptions/signal_writes.h"

namespace sartor::runtime {

namespace {

using namespace std::chrono_literals;

/// If a thread gets no processor for this long, it is waited for another time.
constexpr auto kLongestSettling = 1s;

/// Dependents with thousands of handlers take longer than this to check for better code. Their
/// checks then take at most one in kShareOfLooking of the time.
constexpr auto kBrief = 1ms;
constexpr int kShareOfLooking = 10;

} // namespace

QuasiInvariants &QuasiInvariants::instance() {
  static auto *quasi_invariants =
      new QuasiInvariants; // never destroyed: quasi-invariants may be static objects
  return *quasi_invariants;
}

// SignalWrites is created before any thread has the lock: residents are notified of the process's
// life under a lock of their own.
QuasiInvariants::QuasiInvariants() {
  (void)SignalWrites::instance();
  base::add(*this);
}

void QuasiInvariants::add(const std::shared_ptr<QuasiInvariantState> &quasi_invariant) {
  const base::MutexLock lock(mutex_);
  quasi_invariants_[quasi_invariant.get()].quasi_invariant = quasi_invariant;
}

void QuasiInvariants::add_part(const QuasiInvariantState &quasi_invariant, core::Extent part) {
  const base::MutexLock lock(mutex_);
  const std::uint64_t number = ++last_part_;
  Known &known = quasi_invariants_.at(&quasi_invariant);
  parts_.for_each_overlapping(part, [&](std::uint64_t other) {
    mutex_.assert_held();
    if (const auto &overlapping = by_part_.at(other); overlapping != known.quasi_invariant) {
      overlapping->note_overlap();
      known.quasi_invariant->note_overlap();
    }
  });
  known.parts.emplace_back(number, part);
  parts_.add(part, number);
  by_part_[number] = known.quasi_invariant;
}

void QuasiInvariants::remove(const QuasiInvariantState &quasi_invariant) {
  const base::MutexLock lock(mutex_);
  auto known = quasi_invariants_.find(&quasi_invariant);
  for (const auto &[number, part] : known->second.parts) {
    parts_.remove(part, number);
    by_part_.erase(number);
  }
  if (known->second.due)
    due_.erase({*known->second.due, &quasi_invariant});
  quasi_invariants_.erase(known);
  // Waits for the current round only; the next round may begin at once.
  if (trying_ && runner_ != std::this_thread::get_id())
    for (const auto round = rounds_; rounds_ == round;)
      changed_.wait(mutex_);
}

std::vector<std::shared_ptr<QuasiInvariantState>> QuasiInvariants::about(core::Extent memory) {
  std::vector<std::shared_ptr<QuasiInvariantState>> found;
  const base::MutexLock lock(mutex_);
  parts_.for_each_overlapping(memory, [&](std::uint64_t part) {
    mutex_.assert_held();
    const auto &quasi_invariant = by_part_.at(part);
    if (std::ranges::find(found, quasi_invariant) == found.end())
      found.push_back(quasi_invariant);
  });
  return found;
}

std::vector<std::shared_ptr<QuasiInvariantState>>
QuasiInvariants::with_overlapping(const QuasiInvariantState &quasi_invariant) {
  std::vector<std::shared_ptr<QuasiInvariantState>> found;
  const base::MutexLock lock(mutex_);
  const auto known = quasi_invariants_.find(&quasi_invariant);
  if (known == quasi_invariants_.end())
    return found;
  found.push_back(known->second.quasi_invariant);
  if (quasi_invariant.overlaps())
    for (const auto &[number, part] : known->second.parts)
      parts_.for_each_overlapping(part, [&](std::uint64_t other) {
        mutex_.assert_held();
        if (const auto &overlapping = by_part_.at(other);
            std::ranges::find(found, overlapping) == found.end())
          found.push_back(overlapping);
      });
  return found;
}

std::vector<std::shared_ptr<QuasiInvariantState>> QuasiInvariants::all() {
  std::vector<std::shared_ptr<QuasiInvariantState>> found;
  const base::MutexLock lock(mutex_);
  for (const auto &[key, known] : quasi_invariants_)
    if (known.quasi_invariant)
      found.push_back(known.quasi_invariant);
  return found;
}

void QuasiInvariants::try_later(const QuasiInvariantState &quasi_invariant,
                                QuasiInvariantState::Clock::time_point due) {
  const base::MutexLock lock(mutex_);
  auto known = quasi_invariants_.find(&quasi_invariant);
  if (known == quasi_invariants_.end())
    return;
  if (known->second.due)
    due_.erase({*known->second.due, &quasi_invariant});
  known->second.due = due;
  const bool is_first = due_.insert({due, &quasi_invariant}).first == due_.begin();
  start();
  if (is_first)
    changed_.notify_all();
}

void QuasiInvariants::look_again() {
  const base::MutexLock lock(mutex_);
  start();
  if (!std::exchange(look_, true))
    changed_.notify_all();
}

void QuasiInvariants::ensure_started() {
  const base::MutexLock lock(mutex_);
  if (!due_.empty() || look_)
    start();
}

// If a thread cannot be started now, nothing becomes valid, and the next call tries again. That for
// signal handlers must be there first: without it, their writes invalidate nothing.
void QuasiInvariants::start() {
  if (running_ || exiting_)
    return;
  const auto signals = SignalWrites::instance().start();
  auto thread = signals ? base::Thread::start("sartor-quasi", [this] { run(); })
                        : std::unexpected(signals.error());
  if (thread) {
    running_ = true;
    thread->detach();
  } else if (!std::exchange(reported_, true)) {
    base::report("no_thread", thread.error());
  }
}

std::vector<std::shared_ptr<QuasiInvariantState>> QuasiInvariants::take_due() {
  std::vector<std::shared_ptr<QuasiInvariantState>> taken;
  const auto now = QuasiInvariantState::Clock::now();
  while (!due_.empty() && due_.begin()->first <= now) {
    Known &known = quasi_invariants_.at(due_.begin()->second);
    known.due.reset();
    taken.push_back(known.quasi_invariant);
    due_.erase(due_.begin());
  }
  return taken;
}

void QuasiInvariants::try_all(std::vector<std::shared_ptr<QuasiInvariantState>> quasi_invariants) {
  for (const auto &quasi_invariant : quasi_invariants)
    if (const auto due = quasi_invariant->check())
      try_later(*quasi_invariant, *due);
  std::erase_if(quasi_invariants,
                [](const auto &quasi_invariant) { return !quasi_invariant->begin_trying(); });
  if (quasi_invariants.empty())
    return;
  const base::Settled settled = base::settle(kLongestSettling);
  for (const auto &quasi_invariant : quasi_invariants)
    if (const auto due = quasi_invariant->finish_trying(settled))
      try_later(*quasi_invariant, *due);
}

void QuasiInvariants::look_at_dependents() {
  const auto begin = QuasiInvariantState::Clock::now();
  {
    const base::MutexLock lock(mutex_);
    if (!look_ || begin < next_look_)
      return;
    look_ = false;
  }
  Registry::instance().look_again();
  const auto end = QuasiInvariantState::Clock::now();
  const base::MutexLock lock(mutex_);
  if (end - begin > kBrief)
    next_look_ = end + (kShareOfLooking - 1) * (end - begin);
}

void QuasiInvariants::run() {
  base::MutexLock lock(mutex_);
  runner_ = std::this_thread::get_id();
  while (!exiting_) {
    auto next = due_.empty() ? QuasiInvariantState::Clock::time_point::max() : due_.begin()->first;
    if (look_)
      next = std::min(next, next_look_);
    if (next == QuasiInvariantState::Clock::time_point::max()) {
      changed_.wait(mutex_);
      continue;
    }
    if (next > QuasiInvariantState::Clock::now()) {
      changed_.wait_until(mutex_, next);
      continue;
    }
    auto quasi_invariants = take_due();
    look_ = look_ || !quasi_invariants.empty();
    trying_ = true;
    lock.unlock();
    try_all(std::move(quasi_invariants));
    look_at_dependents();
    lock.lock();
    trying_ = false;
    ++rounds_;
    changed_.notify_all();
  }
  running_ = false;
  changed_.notify_all();
}

void QuasiInvariants::after_fork_in_child() {
  changed_.forget_waiters();
  const base::MutexLock lock(mutex_);
  // The program's predicate may have forked on the internal thread, which continues in the child.
  if (runner_ != std::this_thread::get_id()) {
    running_ = false;
    trying_ = false;
    ++rounds_;
    runner_ = std::thread::id();
  }
  // Quasi-invariants that the parent's thread was about to make valid are tried again by the
  // child's thread.
  const auto now = QuasiInvariantState::Clock::now();
  for (auto &[key, known] : quasi_invariants_) {
    known.quasi_invariant->after_fork_in_child();
    if (!known.due)
      due_.insert({known.due.emplace(now), key});
  }
  OpenWrites::of_this_thread().for_each([this](const QuasiInvariantState &quasi_invariant) {
    mutex_.assert_held();
    if (const auto known = quasi_invariants_.find(&quasi_invariant);
        known != quasi_invariants_.end())
      known->second.quasi_invariant->count_open();
  });
}

void QuasiInvariants::resume_in_child() { ensure_started(); }

void QuasiInvariants::exit_begins() {
  const base::MutexLock lock(mutex_);
  exiting_ = true;
  changed_.notify_all();
}

bool QuasiInvariants::has_ended() {
  const base::MutexLock lock(mutex_);
  return !running_;
}

std::string name_of_quasi_invariant(std::uint64_t number) {
  for (const auto &quasi_invariant : QuasiInvariants::instance().all())
    if (quasi_invariant->number() == number)
      return quasi_invariant->name();
  return {};
}

} // namespace sartor::runtime
