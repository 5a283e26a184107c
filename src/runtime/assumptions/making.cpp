// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/making.h"

#include <utility>

namespace sartor::runtime {

namespace {

/// Nobody is at more variants of one fact than that, each from what was there earlier.
constexpr std::size_t kMostNumbers = 16;

} // namespace

Making &Making::instance() {
  static auto *instance = new Making; // facts may be static objects, destroyed at any time
  return *instance;
}

void Making::number(std::uint64_t before, std::uint64_t now) {
  const base::MutexLock lock(mutex_);
  if (by_number_.contains(now))
    return;
  const auto known = by_number_.find(before);
  auto fact = known == by_number_.end() ? std::make_shared<Known>() : known->second;
  fact->numbers.push_back(now);
  by_number_.emplace(now, fact);
  if (fact->numbers.size() > kMostNumbers) {
    by_number_.erase(fact->numbers.front());
    fact->numbers.pop_front();
  }
}

void Making::forget(std::uint64_t number) {
  const base::MutexLock lock(mutex_);
  const auto known = by_number_.find(number);
  if (known == by_number_.end())
    return;
  const auto fact = known->second;
  for (const std::uint64_t each : fact->numbers)
    by_number_.erase(each);
}

void Making::note(std::span<const std::uint64_t> promises, std::chrono::nanoseconds time) {
  const base::MutexLock lock(mutex_);
  for (const std::uint64_t promise : promises)
    if (const auto known = by_number_.find(promise); known != by_number_.end()) {
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
