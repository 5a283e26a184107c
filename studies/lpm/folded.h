// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LPM_FOLDED_H
#define LPM_FOLDED_H

#include <cstddef>
#include <cstdint>

#include <sartor/sartor.hpp>

#include "family.h"
#include "promise.h"

namespace lpm {

/// A lookup that is told no more than that its table does not change: what folding alone gives.
template <class Address> class Folded {
public:
  /// Compiles, and returns when the binding is specialized. `table` must outlive this. Throws
  /// sartor::Error.
  explicit Folded(const TableOwner<Address> &table)
      : promise_(promise(table)), binding_(runtime_.template bind<Family<Address>::lookup>(
                                      table.table(), sartor::_, sartor::_, sartor::_)) {
    binding_.wait();
  }

  void operator()(const Address *addresses, std::uint32_t *hops, std::size_t count) const {
    binding_(addresses, hops, count);
  }

private:
  using Binding = decltype(std::declval<sartor::Runtime &>().template bind<Family<Address>::lookup>(
      std::declval<const Table<Address> *>(), sartor::_, sartor::_, sartor::_));

  sartor::Invariant promise_;
  sartor::Runtime runtime_;
  Binding binding_;
};

} // namespace lpm

#endif
