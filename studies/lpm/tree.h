// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LPM_TREE_H
#define LPM_TREE_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ranges.h"

namespace lpm {

/// The possible leaf sizes in ranges: the settings of the points "tree4" and "tree6".
inline constexpr std::uint32_t kLeafSizes[] = {1, 16, 256, 1U << 20};

/// The first bits of an address, which select a leaf's bucket.
inline std::uint32_t lead(Address4 address) { return address; }
inline std::uint64_t lead(Address6 address) { return high(address); }
template <class Address> using Lead = decltype(lead(Address{}));

/// The search in a leaf of more than one range: a table gives the first range by the address's
/// bucket, and the 2^steps ranges from there are halved until one is left.
template <class Address> struct Search {
  /// An address is in bucket (lead - origin) >> shift. `clamped`: addresses with a lead outside of
  /// [origin, last] can occur and belong to the nearest bucket.
  bool clamped = false;
  Lead<Address> origin = 0;
  Lead<Address> last = 0;
  unsigned shift = 0;
  std::vector<std::uint32_t> buckets; ///< The start of the search for each bucket.
  unsigned steps = 0;
  std::vector<Address> starts;     ///< The last one is repeated 2^steps - 1 times.
  std::vector<std::uint32_t> hops; ///< One for each element of `starts`.
};

/// The routes as a decision tree: nested ifs halve the ranges until at most `leaf_size` are left,
/// and each leaf is a branch-free search in tables of constants. With a leaf size of 1 there are
/// only ifs; with a large one only a search.
///
/// The faster choice depends on the traffic: an if costs a cycle when the branch is predicted and
/// twenty when it is not. A search always takes its steps, each of which waits for the one before;
/// buckets make them so few that the processor can overlap several lookups. (Gupta, Lin and
/// McKeown, "Routing lookups in hardware at memory access speeds", INFOCOM 1998, section 3, use a
/// table over the first bits of the address; here its size is limited to what is profitable.)
template <class Address> class Tree {
public:
  /// Ranges [first, last).
  struct Part {
    std::size_t first;
    std::size_t last;
  };

  Tree(const RouteSet<Address> &set, std::size_t leaf_size);

  [[nodiscard]] Part whole() const { return {0, ranges_.size()}; }
  [[nodiscard]] bool is_leaf(Part part) const { return part.last - part.first <= leaf_size_; }
  /// The split point: addresses below this range's start are in the first half.
  [[nodiscard]] static std::size_t middle(Part part) { return (part.first + part.last) / 2; }
  [[nodiscard]] const Range<Address> &range(std::size_t index) const { return ranges_[index]; }
  [[nodiscard]] Search<Address> search(Part part) const;

private:
  /// Assigns the ranges of `part` to at most `most` buckets; `most` is a power of two.
  [[nodiscard]] Search<Address> deal(Part part, std::size_t most) const;

  std::vector<Range<Address>> ranges_;
  std::size_t leaf_size_;
};

} // namespace lpm

#endif
