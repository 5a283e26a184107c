// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "table.h"

#include <algorithm>
#include <bit>
#include <map>

namespace lpm {

template <class Address> TableOwner<Address>::TableOwner(const RouteSet<Address> &set) {
  std::map<unsigned, std::size_t> count;
  for (const Route<Address> &route : set.routes())
    ++count[route.length];
  const std::vector<unsigned> lengths = set.lengths();

  // At most half full, so that each search ends at a free slot.
  std::map<unsigned, std::size_t> first;
  std::size_t total = 0;
  const auto slots_of = [&](unsigned length) { return std::bit_ceil(2 * count[length]); };
  for (const unsigned length : lengths) {
    first[length] = total;
    total += slots_of(length);
  }
  slots_.resize(total);

  table_.default_hop = set.default_hop();
  table_.levels_used = lengths.size();
  for (std::size_t i = 0; i < lengths.size(); ++i)
    table_.levels[i] = {mask<Address>(lengths[i]), slots_.data() + first[lengths[i]],
                        static_cast<std::uint32_t>(slots_of(lengths[i]) - 1)};

  for (const Route<Address> &route : set.routes()) {
    if (route.length == 0)
      continue;
    Slot<Address> *const slots = slots_.data() + first[route.length];
    const auto slot_mask = static_cast<std::uint32_t>(slots_of(route.length) - 1);
    std::uint32_t at = hash(route.prefix) & slot_mask;
    while (slots[at].used != 0)
      at = (at + 1) & slot_mask;
    slots[at] = {route.prefix, route.hop, 1};
  }
}

template class TableOwner<Address4>;
template class TableOwner<Address6>;

} // namespace lpm
