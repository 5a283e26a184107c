// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tree.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace lpm {

namespace {

/// With more leaves, LLVM's optimiser and code generator take time quadratic in their number: 32 s
/// for 17,000, half a second for 2,000.
constexpr std::size_t kMostLeaves = 256;

/// Maximum number of buckets per range: the table should fit the second-level cache.
constexpr std::size_t kMostBuckets = 8;

} // namespace

template <class Address>
Tree<Address>::Tree(const RouteSet<Address> &set, std::size_t leaf_size)
    : ranges_(ranges(set)),
      leaf_size_(std::max(leaf_size, (ranges_.size() + kMostLeaves - 1) / kMostLeaves)) {}

template <class Address> Search<Address> Tree<Address>::deal(Part part, std::size_t most) const {
  using Number = Lead<Address>;
  Search<Address> search;
  // Buckets cover all addresses that reach this leaf, or only those around the inner ends of the
  // ranges if these are a small part.
  const Number first = lead(ranges_[part.first].start);
  const Number last = part.last == ranges_.size()
                          ? lead(last_address<Address>)
                          : lead(static_cast<Address>(ranges_[part.last].start - 1));
  const Number inner = lead(ranges_[part.first + 1].start);
  const Number inner_last = lead(ranges_[part.last - 1].start);
  search.clamped = inner_last - inner < (last - first) / 2;
  search.origin = search.clamped ? inner : first;
  search.last = search.clamped ? inner_last : last;
  const auto index = [&](Number number) {
    return static_cast<std::size_t>(
        (std::clamp(number, search.origin, search.last) - search.origin) >> search.shift);
  };

  // Aligned, so that buckets start where prefixes do.
  const Number origin = search.origin;
  const auto wanted = static_cast<unsigned>(std::countr_zero(most));
  const auto needed =
      static_cast<unsigned>(std::bit_width(static_cast<Number>(search.last - origin)));
  for (search.shift = needed > wanted ? needed - wanted : 0; most > 1; ++search.shift) {
    search.origin = origin >> search.shift << search.shift;
    if (index(search.last) < most)
      break;
  }

  const std::size_t count = most == 1 ? 1 : index(search.last) + 1;
  std::size_t at = part.first;
  std::size_t widest = 1;
  for (std::size_t bucket = 0; bucket < count; ++bucket) {
    // Addresses below the first bucket belong to it.
    if (bucket != 0) {
      const Number begin = search.origin + (static_cast<Number>(bucket) << search.shift);
      const Address address = static_cast<Address>(begin)
                              << (lpm::bits<Address> - lpm::bits<Number>);
      while (at + 1 < part.last && ranges_[at + 1].start <= address)
        ++at;
    }
    std::size_t end = at + 1;
    while (end < part.last && (count == 1 || index(lead(ranges_[end].start)) <= bucket))
      ++end;
    search.buckets.push_back(static_cast<std::uint32_t>(at - part.first));
    widest = std::max(widest, end - at);
  }
  search.steps = static_cast<unsigned>(std::bit_width(widest - 1));
  return search;
}

template <class Address> Search<Address> Tree<Address>::search(Part part) const {
  const std::size_t size = part.last - part.first;
  Search<Address> search = deal(part, 1);
  for (std::size_t most = 2; most <= kMostBuckets * size; most *= 2)
    if (Search<Address> candidate = deal(part, most); candidate.steps < search.steps)
      search = std::move(candidate);
  for (std::size_t i = 0; i < size + (std::size_t{1} << search.steps) - 1; ++i) {
    const Range<Address> &range = ranges_[part.first + std::min(i, size - 1)];
    search.starts.push_back(range.start);
    search.hops.push_back(range.hop);
  }
  return search;
}

template class Tree<Address4>;
template class Tree<Address6>;

} // namespace lpm
