// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LPM_TREE_SOURCE_H
#define LPM_TREE_SOURCE_H

#include <iosfwd>
#include <string>

#include "routes.h"

namespace lpm {

/// The Tree of these routes as C: `uint32_t specialized(const void *table, ADDRESS)`, the code of a
/// custom point that looks up an address, given as `uint32_t` or in two halves. Does not use the
/// table.
template <class Address> std::string tree_in_c(const RouteSet<Address> &set, std::size_t leaf_size);

/// Writes the Tree of these routes as C that could have been written by hand: a function `void
/// NAME(const Address *addresses, uint32_t *hops, size_t count)` that looks up a burst, with an
/// Address4 or Address6. The text needs <stddef.h> and <stdint.h>.
template <class Address>
void write_c(std::ostream &out, const std::string &name, const RouteSet<Address> &set,
             std::size_t leaf_size);

} // namespace lpm

#endif
