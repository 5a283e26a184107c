// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_FILE_CODE_RANGE_H
#define SARTOR_LOADER_LIB_FILE_CODE_RANGE_H

#include <algorithm>
#include <compare>
#include <cstdint>
#include <iterator>
#include <vector>

namespace sartor::loader {

/// A half-open range of addresses of a file, e.g. of a function or a table.
struct CodeRange {
  std::uint64_t begin;
  std::uint64_t end;

  [[nodiscard]] bool holds(std::uint64_t address) const {
    return address >= begin && address < end;
  }
  bool operator==(const CodeRange &) const = default;
  auto operator<=>(const CodeRange &) const = default;
};

/// Returns the range that contains an address; nullptr if there is none. `ranges`: sorted, without
/// overlaps.
inline const CodeRange *range_at(const std::vector<CodeRange> &ranges, std::uint64_t address) {
  const auto next = std::ranges::upper_bound(ranges, address, {}, &CodeRange::begin);
  return next != ranges.begin() && std::prev(next)->holds(address) ? &*std::prev(next) : nullptr;
}

/// Returns the ranges sorted, with overlapping ones merged.
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

/// Returns the parts of `all` that are in none of `ranges`, which are sorted.
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
