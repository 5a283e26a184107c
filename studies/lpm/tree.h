// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LPM_TREE_H
#define LPM_TREE_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ranges.h"

namespace lpm {

/// Ranges per leaf to choose from: the settings of the points "tree4" and "tree6".
inline constexpr std::uint32_t kLeafSizes[] = {1, 16, 256, 1U << 20};

/// The first bits of an address: what the buckets of a leaf go by.
inline std::uint32_t lead(Address4 address) { return address; }
inline std::uint64_t lead(Address6 address) { return high(address); }
template <class Address> using Lead = decltype(lead(Address{}));

/// What a leaf of more than one range does: a table says at which range the search begins, by the
/// address's bucket, and 2^steps ranges from there on are halved until one is left.
template <class Address> struct Search {
  /// An address is in bucket (lead - origin) >> shift. `clamped`: an address with a lead outside of
  /// [origin, last], of which there may be some, belongs to the nearest bucket.
  bool clamped = false;
  Lead<Address> origin = 0;
  Lead<Address> last = 0;
  unsigned shift = 0;
  std::vector<std::uint32_t> buckets; ///< Where the search begins. With a single one: at 0.
  unsigned steps = 0;
  std::vector<Address> starts;     ///< Of the ranges; the last one is repeated, 2^steps - 1 times.
  std::vector<std::uint32_t> hops; ///< As many.
};

/// The routes as a decision tree: nested ifs that halve the ranges until at most `leaf_size` are
/// left, and in each leaf a search without branches over tables of constants. With a leaf size of 1
/// there are only ifs; with a large one only a search.
///
/// Which is faster depends on the traffic: an if costs a cycle when the branch is predicted and
/// twenty when it is not. A search takes its steps in any case, each of which waits for the one
/// before; with buckets they are so few that the processor can look up several addresses at once.
/// (Gupta, Lin and McKeown, "Routing lookups in hardware at memory access speeds", INFOCOM 1998,
/// section 3, have a table over the first bits of the address; here it is as large as pays.)
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
  /// Where to halve: addresses below this range's start are in the first half.
  [[nodiscard]] static std::size_t middle(Part part) { return (part.first + part.last) / 2; }
  [[nodiscard]] const Range<Address> &range(std::size_t index) const { return ranges_[index]; }
  [[nodiscard]] Search<Address> search(Part part) const;

private:
  /// Deals the ranges of `part` to at most `most` buckets, which is a power of two.
  [[nodiscard]] Search<Address> deal(Part part, std::size_t most) const;

  std::vector<Range<Address>> ranges_;
  std::size_t leaf_size_;
};

} // namespace lpm

#endif
