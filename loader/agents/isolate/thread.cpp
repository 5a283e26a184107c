// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/isolate/thread.h"

namespace sartor::isolate {

thread_local constinit Thread this_thread;

Entry &Thread::push() {
  if (count_ == most_entries)
    give_up("a thread has left domains other than by returning, too often");
  Entry &entry = entries_[count_++];
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  return entry;
}

bool Thread::has_entered(const Domain &domain) const {
  for (std::size_t i = 0; i < count_; ++i)
    if (entries_[i].domain == &domain)
      return true;
  return false;
}

void Thread::enter(Domain &domain, std::uintptr_t *return_slot, std::uintptr_t way_back) {
  const auto add = [&] {
    Entry &entry = push();
    entry.domain = &domain;
    entry.return_slot = return_slot;
    entry.return_address = *return_slot;
    *return_slot = way_back;
    entry.before = domain.enter();
  };
  if (domain.has_key()) {
    if (!domain.is_open_here())
      add();
    return;
  }
  if (has_entered(domain))
    return;
  const NoSignals no_signals;
  add();
}

std::uintptr_t Thread::leave(const std::uintptr_t *return_slot) {
  std::size_t own = count_;
  while (own > 0 && entries_[own - 1].return_slot != return_slot)
    --own;
  if (own == 0)
    give_up("a call into a domain returns on another stack than it has begun on");
  const std::uintptr_t return_address = entries_[own - 1].return_address;
  leave_from(own - 1);
  return return_address;
}

void Thread::leave_jumped_over(std::uintptr_t from, std::uintptr_t to) {
  std::size_t left = count_;
  while (left > 0) {
    const auto slot = reinterpret_cast<std::uintptr_t>(entries_[left - 1].return_slot);
    if (slot < from || slot >= to)
      break;
    --left;
  }
  leave_from(left);
}

void Thread::leave_from(std::size_t first) {
  while (count_ > first) {
    if (entries_[count_ - 1].domain->has_key()) {
      pop();
    } else {
      const NoSignals no_signals;
      pop();
    }
  }
}

void Thread::pop() {
  Entry &entry = entries_[count_ - 1];
  entry.domain->leave(entry.before);
  entry.domain = nullptr; // has_entered() expects null in an incomplete entry
  --count_;
}

} // namespace sartor::isolate
