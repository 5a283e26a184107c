// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/making.h"

namespace sartor::runtime {

namespace {

/// The number of past numbers that are kept of a quasi-invariant: variants from more states of its
/// memory are not compiled at once.
constexpr std::size_t kMostNumbers = 16;

} // namespace

Making &Making::instance() {
  static auto *instance = new Making; // never destroyed: quasi-invariants may be static objects
  return *instance;
}

void Making::number(std::uint64_t before, std::uint64_t now) {
  const base::MutexLock lock(mutex_);
  if (by_number_.contains(now))
    return;
  const auto known = by_number_.find(before);
  auto quasi_invariant = known == by_number_.end() ? std::make_shared<Known>() : known->second;
  quasi_invariant->numbers.push_back(now);
  by_number_.emplace(now, quasi_invariant);
  if (quasi_invariant->numbers.size() > kMostNumbers) {
    by_number_.erase(quasi_invariant->numbers.front());
    quasi_invariant->numbers.pop_front();
  }
}

void Making::forget(std::uint64_t number) {
  const base::MutexLock lock(mutex_);
  const auto known = by_number_.find(number);
  if (known == by_number_.end())
    return;
  const auto quasi_invariant = known->second;
  for (const std::uint64_t each : quasi_invariant->numbers)
    by_number_.erase(each);
}

void Making::note(std::span<const std::uint64_t> invariants, std::chrono::nanoseconds time) {
  const base::MutexLock lock(mutex_);
  for (const std::uint64_t invariant : invariants)
    if (const auto known = by_number_.find(invariant); known != by_number_.end()) {
      ++known->second->taken.variants;
      known->second->taken.time += time;
    }
}

Making::Taken Making::of(std::uint64_t number) const {
  const base::MutexLock lock(mutex_);
  const auto known = by_number_.find(number);
  return known == by_number_.end() ? Taken{} : known->second->taken;
}

} // namespace sartor::runtime
