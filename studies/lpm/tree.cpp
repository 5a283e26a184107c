// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tree.h"

#include <algorithm>
#include <bit>

namespace lpm {

namespace {

/// With more, LLVM's optimiser and code generator take time that grows with the square of their
/// number: 32 s for 17,000, half a second for 2,000.
constexpr std::size_t kMostLeaves = 256;

} // namespace

template <class Address>
Tree<Address>::Tree(const RouteSet<Address> &set, std::size_t leaf_size)
    : ranges_(ranges(set)),
      leaf_size_(std::max(leaf_size, (ranges_.size() + kMostLeaves - 1) / kMostLeaves)) {}

template <class Address> typename Tree<Address>::Search Tree<Address>::search(Part part) const {
  Search search;
  const std::size_t size = std::bit_ceil(part.last - part.first);
  for (std::size_t i = 0; i < size; ++i) {
    const Range<Address> &range = ranges_[std::min(part.first + i, part.last - 1)];
    search.starts.push_back(range.start);
    search.hops.push_back(range.hop);
  }
  return search;
}

template class Tree<Address4>;
template class Tree<Address6>;

} // namespace lpm
