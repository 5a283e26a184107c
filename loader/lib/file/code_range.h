// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_FILE_CODE_RANGE_H
#define SARTOR_LOADER_LIB_FILE_CODE_RANGE_H

#include <algorithm>
#include <compare>
#include <cstdint>
#include <iterator>
#include <vector>

namespace sartor::loader {

/// Addresses of a file, from the first to the one behind the last: of a function, a table, ...
struct CodeRange {
  std::uint64_t begin;
  std::uint64_t end;

  [[nodiscard]] bool holds(std::uint64_t address) const {
    return address >= begin && address < end;
  }
  bool operator==(const CodeRange &) const = default;
  auto operator<=>(const CodeRange &) const = default;
};

/// Which of them an address is in; nullptr if in none. `ranges`: in order, without overlaps.
inline const CodeRange *range_at(const std::vector<CodeRange> &ranges, std::uint64_t address) {
  const auto next = std::ranges::upper_bound(ranges, address, {}, &CodeRange::begin);
  return next != ranges.begin() && std::prev(next)->holds(address) ? &*std::prev(next) : nullptr;
}

/// In order, those that overlap as one.
inline std::vector<CodeRange> merged(std::vector<CodeRange> ranges) {
  std::ranges::sort(ranges);
  std::vector<CodeRange> in_order;
  for (const CodeRange &range : ranges)
    if (in_order.empty() || range.begin >= in_order.back().end)
      in_order.push_back(range);
    else
      in_order.back().end = std::max(in_order.back().end, range.end);
  return in_order;
}

/// What of `all` is in none of `ranges`, which are in order.
inline std::vector<CodeRange> between(const std::vector<CodeRange> &ranges, CodeRange all) {
  std::vector<CodeRange> rest;
  auto range = std::ranges::upper_bound(ranges, all.begin, {}, &CodeRange::end);
  for (; range != ranges.end() && range->begin < all.end; ++range) {
    if (range->begin > all.begin)
      rest.push_back({all.begin, range->begin});
    all.begin = std::max(all.begin, range->end);
  }
  if (all.begin < all.end)
    rest.push_back(all);
  return rest;
}

} // namespace sartor::loader

#endif
