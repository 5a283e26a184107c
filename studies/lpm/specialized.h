// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LPM_SPECIALIZED_H
#define LPM_SPECIALIZED_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <sartor/sartor.hpp>

#include "family.h"
#include "generate.h"

namespace lpm {

/// How a lookup is specialized to its routes.
struct Settings {
  std::uint32_t leaf_size = 0; ///< Of the decision tree; 0: the table is searched.
  std::uint32_t answers = 0;   ///< Number of inputs that a fast path answers; 0: no fast path.
};

/// A runtime with a lookup that is specialized to one route set.
///
/// The fast path depends on the table, which is declared invariant: destroy this object before the
/// table changes.
template <class Address> class Specialized {
public:
  /// Compiles; returns when the lookup is active. A fast path answers the most frequent addresses
  /// of `sample`. `table` holds the routes of `set` and must outlive this object. Throws
  /// sartor::Error.
  Specialized(const std::shared_ptr<const RouteSet<Address>> &set, const TableOwner<Address> &table,
              Settings settings, std::span<const Address> sample = {});

  void operator()(const Address *addresses, std::uint32_t *hops, std::size_t count) const {
    handler_(table_, addresses, hops, count);
  }

  /// Compile time of the fully optimised variant.
  [[nodiscard]] double compile_milliseconds() const { return compile_milliseconds_; }
  [[nodiscard]] std::size_t code_bytes() const { return code_bytes_; }

private:
  using Signature = void(const Table<Address> *, const Address *, std::uint32_t *, std::size_t);

  const Table<Address> *table_;
  sartor::Invariant invariant_;
  sartor::Runtime runtime_;
  sartor::Handler<Signature> handler_;
  double compile_milliseconds_ = 0;
  std::size_t code_bytes_ = 0;
};

} // namespace lpm

#endif
