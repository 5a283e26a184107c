// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/part_index.h"

#include <algorithm>

namespace sartor::runtime {

using core::Extent;

void PartIndex::add(Extent part, std::uint64_t number) {
  if (lines_of(part) > kMostLines) {
    large_.add(part, number);
    ++large_count_;
    return;
  }
  for (std::uintptr_t line = first_line(part); line <= last_line(part); ++line) {
    lines_[line].push_back({part, number});
    ++counts_[counter_of(line)];
  }
}

void PartIndex::remove(Extent part, std::uint64_t number) {
  if (lines_of(part) > kMostLines) {
    large_.remove(part, number);
    --large_count_;
    return;
  }
  for (std::uintptr_t line = first_line(part); line <= last_line(part); ++line) {
    const auto parts = lines_.find(line);
    std::erase_if(parts->second, [&](const Part &other) { return other.number == number; });
    if (parts->second.empty())
      lines_.erase(parts);
    --counts_[counter_of(line)];
  }
}

bool PartIndex::may_concern(Extent memory) const {
  if (large_count_.load(std::memory_order_relaxed) != 0 || lines_of(memory) > kMostLines)
    return true;
  for (std::uintptr_t line = first_line(memory); line <= last_line(memory); ++line)
    if (counts_[counter_of(line)].load(std::memory_order_relaxed) != 0)
      return true;
  return false;
}

} // namespace sartor::runtime
