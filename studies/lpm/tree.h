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

/// The routes as a decision tree: nested ifs that halve the ranges until at most `leaf_size` are
/// left, and in each leaf a binary search without branches over a table of constants. With a leaf
/// size of 1 there are only ifs; with a large one only the search.
///
/// Which is faster depends on the traffic: an if costs a cycle when the branch is predicted and
/// twenty when it is not, a step of the search two in any case, or six if somebody waits for the
/// result.
template <class Address> class Tree {
public:
  /// Ranges [first, last).
  struct Part {
    std::size_t first;
    std::size_t last;
  };

  /// What a leaf of more than one range searches.
  struct Search {
    std::vector<Address> starts;     ///< 2^steps of them; the last range is repeated to fill up.
    std::vector<std::uint32_t> hops; ///< As many.
  };

  Tree(const RouteSet<Address> &set, std::size_t leaf_size);

  [[nodiscard]] Part whole() const { return {0, ranges_.size()}; }
  [[nodiscard]] bool is_leaf(Part part) const { return part.last - part.first <= leaf_size_; }
  /// Where to halve: addresses below this range's start are in the first half.
  [[nodiscard]] static std::size_t middle(Part part) { return (part.first + part.last) / 2; }
  [[nodiscard]] const Range<Address> &range(std::size_t index) const { return ranges_[index]; }
  [[nodiscard]] Search search(Part part) const;

private:
  std::vector<Range<Address>> ranges_;
  std::size_t leaf_size_;
};

} // namespace lpm

#endif
