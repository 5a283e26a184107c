// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "invariant/registry.h"

#include <algorithm>
#include <cstring>

#include "invariant/checked_copy.h"

namespace sartor::invariant {

namespace {

std::string name_of(std::uintptr_t address, std::size_t size) {
  return std::to_string(size) + " bytes at " + std::to_string(address);
}

// Where two promises overlap, the bytes are the first one's.
std::vector<specialize::Region> without_overlaps(std::vector<specialize::Region> regions) {
  std::ranges::sort(regions, {}, &specialize::Region::address);
  std::vector<specialize::Region> disjoint;
  for (specialize::Region &region : regions) {
    const std::uintptr_t covered = disjoint.empty() ? 0 : disjoint.back().end();
    if (region.end() <= covered)
      continue;
    if (region.address < covered) {
      region.bytes =
          std::make_shared<const std::string>(region.bytes->substr(covered - region.address));
      region.address = covered;
    }
    disjoint.push_back(std::move(region));
  }
  return disjoint;
}

} // namespace

Registry &Registry::instance() {
  static auto *registry = new Registry; // invariants may be static objects, destroyed at any time
  return *registry;
}

Result<std::uint64_t> Registry::promise(const void *memory, std::size_t size) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  if (!memory || size == 0 || size > UINTPTR_MAX - address)
    return std::unexpected(Failure{ErrorCode::bad_invariant, name_of(address, size),
                                   "is no memory that could be promised",
                                   "give the address and the size of an object"});
  const std::lock_guard lock(mutex_);
  promises_.emplace(++last_, Promise{address, size, nullptr});
  by_address_.emplace(address, last_);
  largest_ = std::max(largest_, size);
  return last_;
}

void Registry::withdraw(std::span<const std::uint64_t> promises) {
  {
    const std::lock_guard lock(mutex_);
    for (const std::uint64_t number : promises) {
      auto promise = promises_.find(number);
      if (promise == promises_.end())
        continue;
      const auto [first, last] = by_address_.equal_range(promise->second.address);
      by_address_.erase(std::find_if(first, last, [&](auto &at) { return at.second == number; }));
      promises_.erase(promise);
    }
  }
  const std::lock_guard lock(dependents_mutex_);
  for (Dependent *dependent : dependents_)
    dependent->take_out(promises);
}

bool Registry::hold(std::span<const std::uint64_t> promises) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::all_of(promises, [&](auto number) { return promises_.contains(number); });
}

Registry::Found Registry::containing(std::uintptr_t address) {
  Found found;
  for (auto at = by_address_.upper_bound(address); at != by_address_.begin();) {
    --at;
    if (address - at->first >= largest_)
      break;
    const Promise &promise = promises_.at(at->second);
    if (address - promise.address < promise.size)
      found.emplace(at->second, &promise);
  }
  return found;
}

Result<std::vector<specialize::Region>> Registry::reachable(std::span<const std::uintptr_t> roots) {
  const std::lock_guard lock(mutex_);
  if (promises_.empty())
    return {};
  Found found;
  std::vector<std::uint64_t> work;
  auto reach = [&](std::uintptr_t address) {
    for (const auto &[number, promise] : containing(address))
      if (found.emplace(number, promise).second)
        work.push_back(number);
  };
  for (const std::uintptr_t root : roots)
    reach(root);
  while (!work.empty()) {
    Promise &promise = promises_.at(work.back());
    work.pop_back();
    if (!promise.bytes) {
      auto bytes = checked_copy(promise.address, promise.size);
      if (!bytes)
        return std::unexpected(std::move(bytes.error()));
      promise.bytes = std::make_shared<const std::string>(std::move(*bytes));
    }
    std::uintptr_t word = 0;
    const std::size_t first = -promise.address % sizeof word;
    for (std::size_t at = first; at + sizeof word <= promise.size; at += sizeof word) {
      std::memcpy(&word, promise.bytes->data() + at, sizeof word);
      reach(word);
    }
  }
  std::vector<specialize::Region> regions;
  for (const auto &[number, promise] : found)
    regions.push_back({number, promise->address, promise->bytes});
  return without_overlaps(std::move(regions));
}

void Registry::add(Dependent &dependent) {
  const std::lock_guard lock(dependents_mutex_);
  dependents_.insert(&dependent);
}

void Registry::remove(Dependent &dependent) {
  const std::lock_guard lock(dependents_mutex_);
  dependents_.erase(&dependent);
}

} // namespace sartor::invariant
