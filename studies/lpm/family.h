// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LPM_FAMILY_H
#define LPM_FAMILY_H

#include "lookup.h"
#include "rte_table.h"
#include "table.h"

namespace lpm {

/// Names and constants of an address family.
template <class Address> struct Family;

template <> struct Family<Address4> {
  static constexpr const char *name = "IPv4";
  static constexpr auto *lookup = &lookup4_burst;
  static constexpr auto *rte_lookup = &rte_lookup4_burst;
  static constexpr const char *fast_path = "lookup4";
  static constexpr const char *tree = "tree4";
  static constexpr const char *kind = "decision_tree4";
  using RteOwner = RteOwner4;
};

template <> struct Family<Address6> {
  static constexpr const char *name = "IPv6";
  static constexpr auto *lookup = &lookup6_burst;
  static constexpr auto *rte_lookup = &rte_lookup6_burst;
  static constexpr const char *fast_path = "lookup6";
  static constexpr const char *tree = "tree6";
  static constexpr const char *kind = "decision_tree6";
  using RteOwner = RteOwner6;
};

} // namespace lpm

#endif
