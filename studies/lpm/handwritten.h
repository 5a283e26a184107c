// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LPM_HANDWRITTEN_H
#define LPM_HANDWRITTEN_H

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "address.h"

namespace lpm {

template <class Address>
using BurstFunction = void(const Address *addresses, std::uint32_t *hops, std::size_t count);

/// The Tree of a route set as C, compiled ahead of time with -O3 -march=native: code that a
/// programmer who knew the routes might have written. lpm_write_trees generates it when the study
/// is built.
template <class Address> struct HandwrittenTree {
  const char *set; ///< The name of a NamedSet; null at the end of the list.
  std::uint32_t leaf_size;
  BurstFunction<Address> *lookup;
};

extern "C" const HandwrittenTree<Address4> handwritten4[];
extern "C" const HandwrittenTree<Address6> handwritten6[];

template <class Address> const HandwrittenTree<Address> *handwritten() {
  if constexpr (sizeof(Address) == 4)
    return handwritten4;
  else
    return handwritten6;
}

/// Throws std::out_of_range.
template <class Address>
BurstFunction<Address> *handwritten(const std::string &set, std::uint32_t leaf_size) {
  for (const auto *tree = handwritten<Address>(); tree->set; ++tree)
    if (tree->set == set && tree->leaf_size == leaf_size)
      return tree->lookup;
  throw std::out_of_range("no tree was written for " + set);
}

} // namespace lpm

#endif
