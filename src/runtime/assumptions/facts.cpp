// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/facts.h"

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

/// A thread that gets no processor for so long is waited for another time.
constexpr auto kLongestSettling = 1s;

/// Where dependents have thousands of handlers to look at, which takes longer than this, they look
/// for so small a share of the time: one in.
constexpr auto kBrief = 1ms;
constexpr int kShareOfLooking = 10;

} // namespace

Facts &Facts::instance() {
  static auto *facts = new Facts; // facts may be static objects, destroyed at any time
  return *facts;
}

// SignalWrites is there before anybody has the lock: residents are told of the process's life under
// a lock of their own.
Facts::Facts() {
  (void)SignalWrites::instance();
  base::add(*this);
}

void Facts::add(const std::shared_ptr<Fact> &fact) {
  const base::MutexLock lock(mutex_);
  facts_[fact.get()].fact = fact;
}

void Facts::add_part(const Fact &fact, core::Extent part) {
  const base::MutexLock lock(mutex_);
  const std::uint64_t number = ++last_part_;
  Known &known = facts_.at(&fact);
  parts_.for_each_overlapping(part, [&](std::uint64_t other) {
    mutex_.assert_held();
    if (const auto &overlapping = by_part_.at(other); overlapping != known.fact) {
      overlapping->note_overlap();
      known.fact->note_overlap();
    }
  });
  known.parts.emplace_back(number, part);
  parts_.add(part, number);
  by_part_[number] = known.fact;
}

void Facts::remove(const Fact &fact) {
  const base::MutexLock lock(mutex_);
  auto known = facts_.find(&fact);
  for (const auto &[number, part] : known->second.parts) {
    parts_.remove(part, number);
    by_part_.erase(number);
  }
  if (known->second.due)
    due_.erase({*known->second.due, &fact});
  facts_.erase(known);
  // Not for the next round, which may begin at once.
  if (trying_ && runner_ != std::this_thread::get_id())
    for (const auto round = rounds_; rounds_ == round;)
      changed_.wait(mutex_);
}

std::vector<std::shared_ptr<Fact>> Facts::about(core::Extent memory) {
  std::vector<std::shared_ptr<Fact>> found;
  const base::MutexLock lock(mutex_);
  parts_.for_each_overlapping(memory, [&](std::uint64_t part) {
    mutex_.assert_held();
    const auto &fact = by_part_.at(part);
    if (std::ranges::find(found, fact) == found.end())
      found.push_back(fact);
  });
  return found;
}

std::vector<std::shared_ptr<Fact>> Facts::with_overlapping(const Fact &fact) {
  std::vector<std::shared_ptr<Fact>> found;
  const base::MutexLock lock(mutex_);
  const auto known = facts_.find(&fact);
  if (known == facts_.end())
    return found;
  found.push_back(known->second.fact);
  if (fact.overlaps())
    for (const auto &[number, part] : known->second.parts)
      parts_.for_each_overlapping(part, [&](std::uint64_t other) {
        mutex_.assert_held();
        if (const auto &overlapping = by_part_.at(other);
            std::ranges::find(found, overlapping) == found.end())
          found.push_back(overlapping);
      });
  return found;
}

std::vector<std::shared_ptr<Fact>> Facts::all() {
  std::vector<std::shared_ptr<Fact>> found;
  const base::MutexLock lock(mutex_);
  for (const auto &[key, known] : facts_)
    if (known.fact)
      found.push_back(known.fact);
  return found;
}

void Facts::try_later(const Fact &fact, Fact::Clock::time_point due) {
  const base::MutexLock lock(mutex_);
  auto known = facts_.find(&fact);
  if (known == facts_.end())
    return;
  if (known->second.due)
    due_.erase({*known->second.due, &fact});
  known->second.due = due;
  const bool is_first = due_.insert({due, &fact}).first == due_.begin();
  start();
  if (is_first)
    changed_.notify_all();
}

void Facts::look_again() {
  const base::MutexLock lock(mutex_);
  start();
  if (!std::exchange(look_, true))
    changed_.notify_all();
}

// Where no thread can be had now, one is asked for again the next time.
void Facts::start() {
  if (running_ || exiting_)
    return;
  SignalWrites::instance().start();
  auto thread = base::Thread::start("sartor-facts", [this] { run(); });
  if (thread) {
    running_ = true;
    thread->detach();
  } else if (!std::exchange(told_, true)) {
    base::report("no_thread", {{"message", thread.error().text()}});
  }
}

std::vector<std::shared_ptr<Fact>> Facts::take_due() {
  std::vector<std::shared_ptr<Fact>> taken;
  const auto now = Fact::Clock::now();
  while (!due_.empty() && due_.begin()->first <= now) {
    Known &known = facts_.at(due_.begin()->second);
    known.due.reset();
    taken.push_back(known.fact);
    due_.erase(due_.begin());
  }
  return taken;
}

void Facts::try_all(std::vector<std::shared_ptr<Fact>> facts) {
  for (const auto &fact : facts)
    if (const auto due = fact->check())
      try_later(*fact, *due);
  std::erase_if(facts, [](const auto &fact) { return !fact->begin_trying(); });
  if (facts.empty())
    return;
  const base::Settled settled = base::settle(kLongestSettling);
  for (const auto &fact : facts)
    if (const auto due = fact->finish_trying(settled))
      try_later(*fact, *due);
}

void Facts::look_at_dependents() {
  const auto begin = Fact::Clock::now();
  {
    const base::MutexLock lock(mutex_);
    if (!look_ || begin < next_look_)
      return;
    look_ = false;
  }
  Registry::instance().look_again();
  const auto end = Fact::Clock::now();
  const base::MutexLock lock(mutex_);
  if (end - begin > kBrief)
    next_look_ = end + (kShareOfLooking - 1) * (end - begin);
}

void Facts::run() {
  base::MutexLock lock(mutex_);
  runner_ = std::this_thread::get_id();
  while (!exiting_) {
    auto next = due_.empty() ? Fact::Clock::time_point::max() : due_.begin()->first;
    if (look_)
      next = std::min(next, next_look_);
    if (next == Fact::Clock::time_point::max()) {
      changed_.wait(mutex_);
      continue;
    }
    if (next > Fact::Clock::now()) {
      changed_.wait_until(mutex_, next);
      continue;
    }
    auto facts = take_due();
    look_ = look_ || !facts.empty();
    trying_ = true;
    lock.unlock();
    try_all(std::move(facts));
    look_at_dependents();
    lock.lock();
    trying_ = false;
    ++rounds_;
    changed_.notify_all();
  }
  running_ = false;
  changed_.notify_all();
}

void Facts::after_fork_in_child() {
  changed_.forget_waiters();
  const base::MutexLock lock(mutex_);
  // The program's predicate may have forked, on our thread, which goes on here.
  if (runner_ != std::this_thread::get_id()) {
    running_ = false;
    trying_ = false;
    ++rounds_;
    runner_ = std::thread::id();
  }
  // What the parent's thread was about to have hold is tried by ours.
  const auto now = Fact::Clock::now();
  for (auto &[key, known] : facts_) {
    known.fact->after_fork_in_child();
    if (!known.due)
      due_.insert({known.due.emplace(now), key});
  }
  OpenWrites::of_this_thread().for_each([this](const Fact &fact) {
    mutex_.assert_held();
    if (const auto known = facts_.find(&fact); known != facts_.end())
      known->second.fact->count_open();
  });
}

void Facts::resume_in_child() {
  const base::MutexLock lock(mutex_);
  if (!due_.empty() || look_)
    start();
}

void Facts::exit_begins() {
  const base::MutexLock lock(mutex_);
  exiting_ = true;
  changed_.notify_all();
}

bool Facts::has_ended() {
  const base::MutexLock lock(mutex_);
  return !running_;
}

std::string name_of_fact(std::uint64_t number) {
  for (const auto &fact : Facts::instance().all())
    if (fact->number() == number)
      return fact->name();
  return {};
}

} // namespace sartor::runtime
