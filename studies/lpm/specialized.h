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
  std::uint32_t leaf_size = 0; ///< Of the decision tree (kLeafSizes); 0: the table is searched.
  std::uint32_t answers = 0;   ///< Inputs that a fast path answers; 0: none does.
};

/// A runtime of its own, with a lookup that is specialized to one route set.
///
/// The fast path leans on the table, as an invariant: whoever changed a table would destroy this
/// first.
template <class Address> class Specialized {
public:
  /// Compiles, and returns when the lookup is in force. A fast path answers what is frequent in
  /// `sample`. `table` holds the routes of `set`, and must outlive this. Throws sartor::Error.
  Specialized(const std::shared_ptr<const RouteSet<Address>> &set, const TableOwner<Address> &table,
              Settings settings, std::span<const Address> sample = {});

  void operator()(const Address *addresses, std::uint32_t *hops, std::size_t count) const {
    handler_(table_, addresses, hops, count);
  }

  /// Of the fully optimised variant.
  [[nodiscard]] double compile_milliseconds() const { return compile_milliseconds_; }
  [[nodiscard]] std::size_t code_bytes() const { return code_bytes_; }

private:
  using Signature = void(const Table<Address> *, const Address *, std::uint32_t *, std::size_t);

  const Table<Address> *table_;
  sartor::Invariant promise_;
  sartor::Runtime runtime_;
  sartor::Handler<Signature> handler_;
  double compile_milliseconds_ = 0;
  std::size_t code_bytes_ = 0;
};

} // namespace lpm

#endif
