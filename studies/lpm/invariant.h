// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LPM_INVARIANT_H
#define LPM_INVARIANT_H

#include <sartor/invariant.hpp>

#include "table.h"

namespace lpm {

/// The invariant that the table and its slots do not change.
template <class Address> sartor::Invariant invariant(const TableOwner<Address> &table) {
  sartor::Invariant invariant(table.table(), sizeof *table.table());
  if (!table.slots().empty())
    invariant.add(table.slots().data(), table.slots().size_bytes());
  return invariant;
}

} // namespace lpm

#endif
