// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file The handlers of this study: longest-prefix match for bursts of addresses, as routers do
/// it. Each stores the next hop of `addresses[i]` into `hops[i]`.
#ifndef LPM_LOOKUP_H
#define LPM_LOOKUP_H

#include <cstddef>
#include <cstdint>

#include "rte_table.h"
#include "table.h"

/// Looks up in the hash tables. Points: "lookup4" is a fast path in front of the lookup, "tree4" a
/// custom point of the kind "decision_tree4" that replaces the search.
extern "C" void lookup4_burst(const lpm::Table4 *table, const lpm::Address4 *addresses,
                              std::uint32_t *hops, std::size_t count);
/// The same for IPv6, with "lookup6", "tree6", "decision_tree6".
extern "C" void lookup6_burst(const lpm::Table6 *table, const lpm::Address6 *addresses,
                              std::uint32_t *hops, std::size_t count);

/// Looks up in DPDK's tables, with the points "rte_lookup4" and "rte_tree4"; rte_lpm's lookup is in
/// its header and is inlined into the handler.
extern "C" void rte_lookup4_burst(const lpm::RteTable4 *table, const lpm::Address4 *addresses,
                                  std::uint32_t *hops, std::size_t count);
/// The same for IPv6, with "rte_lookup6" and "rte_tree6"; rte_lpm6's lookup is a call into its
/// library.
extern "C" void rte_lookup6_burst(const lpm::RteTable6 *table, const lpm::Address6 *addresses,
                                  std::uint32_t *hops, std::size_t count);

#endif
