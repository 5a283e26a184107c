// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LPM_FOLDED_H
#define LPM_FOLDED_H

#include <cstddef>
#include <cstdint>

#include <sartor/sartor.hpp>

#include "family.h"
#include "invariant.h"

namespace lpm {

/// A lookup specialized to the invariance of its table alone: the effect of constant folding.
template <class Address> class Folded {
public:
  /// Compiles; returns when the binding is specialized. `table` must outlive this object. Throws
  /// sartor::Error.
  explicit Folded(const TableOwner<Address> &table)
      : invariant_(invariant(table)), binding_(runtime_.template bind<Family<Address>::lookup>(
                                          table.table(), sartor::_, sartor::_, sartor::_)) {
    binding_.wait();
  }

  void operator()(const Address *addresses, std::uint32_t *hops, std::size_t count) const {
    binding_(addresses, hops, count);
  }

private:
  using Binding = decltype(std::declval<sartor::Runtime &>().template bind<Family<Address>::lookup>(
      std::declval<const Table<Address> *>(), sartor::_, sartor::_, sartor::_));

  sartor::Invariant invariant_;
  sartor::Runtime runtime_;
  Binding binding_;
};

} // namespace lpm

#endif
