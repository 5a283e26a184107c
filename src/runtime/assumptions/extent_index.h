// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_EXTENT_INDEX_H
#define SARTOR_RUNTIME_ASSUMPTIONS_EXTENT_INDEX_H

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "core/request/invariant_memory.h"

namespace sartor::runtime {

/// True if an extent contains one of some sorted addresses.
inline bool leads_into(std::span<const std::uintptr_t> addresses, core::Extent extent) {
  auto first = std::ranges::lower_bound(addresses, extent.address);
  return first != addresses.end() && *first < extent.end;
}

/// A map from extents of memory to numbers, searched by an address that an extent contains. Extents
/// may overlap. Extents of similar size are kept together, so that a search skips no extent that is
/// much larger than the distance: a large extent does not slow down the search for small ones next
/// to it.
class ExtentIndex {
public:
  void add(core::Extent extent, std::uint64_t number) {
    by_size_[size_class(extent)].emplace(std::pair(extent.address, number), extent.end);
  }

  void remove(core::Extent extent, std::uint64_t number) {
    auto same = by_size_.find(size_class(extent));
    same->second.erase({extent.address, number});
    if (same->second.empty())
      by_size_.erase(same);
  }

  template <class Visit> void for_each_containing(std::uintptr_t address, Visit visit) const {
    for (const auto &[bits, extents] : by_size_)
      for (auto at = extents.upper_bound({address, UINT64_MAX}); at != extents.begin();) {
        --at;
        const auto &[start, number] = at->first;
        if (static_cast<unsigned>(std::bit_width(address - start)) > bits)
          break;
        if (address < at->second)
          visit(number);
      }
  }

  template <class Visit> void for_each_overlapping(core::Extent extent, Visit visit) const {
    for (const auto &[bits, extents] : by_size_)
      for (auto at = extents.lower_bound({extent.end, 0}); at != extents.begin();) {
        --at;
        const auto &[start, number] = at->first;
        if (start<extent.address &&static_cast<unsigned>(std::bit_width(extent.address - start))>
                bits)
          break;
        if (extent.address < at->second)
          visit(number);
      }
  }

private:
  /// The number of bits in the extent's size.
  static unsigned size_class(core::Extent extent) {
    return static_cast<unsigned>(std::bit_width(extent.end - extent.address));
  }

  /// The end of each extent, by size class, then by address and number.
  std::map<unsigned, std::map<std::pair<std::uintptr_t, std::uint64_t>, std::uintptr_t>> by_size_;
};

} // namespace sartor::runtime

#endif
