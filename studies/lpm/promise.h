// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LPM_PROMISE_H
#define LPM_PROMISE_H

#include <sartor/invariant.hpp>

#include "table.h"

namespace lpm {

/// That the table and its slots do not change.
template <class Address> sartor::Invariant promise(const TableOwner<Address> &table) {
  sartor::Invariant promise(table.table(), sizeof *table.table());
  if (!table.slots().empty())
    promise.add(table.slots().data(), table.slots().size_bytes());
  return promise;
}

} // namespace lpm

#endif
