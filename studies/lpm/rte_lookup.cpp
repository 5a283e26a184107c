// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstring>

#include <rte_lpm.h>
#include <rte_lpm6.h>

#include <sartor/points.h>

#include "lookup.h"

using lpm::Address4;
using lpm::Address6;
using lpm::RteTable4;
using lpm::RteTable6;

extern "C" {

[[gnu::pure]] std::uint32_t rte_search4(const RteTable4 *table, Address4 address) {
  std::uint32_t hop;
  return rte_lpm_lookup(table->routes, address, &hop) == 0 ? hop : table->default_hop;
}

[[gnu::pure]] std::uint32_t rte_lookup4(const RteTable4 *table, Address4 address) {
  return sartor_custom("rte_tree4", "decision_tree4", rte_search4, table, address);
}

SARTOR_HANDLER void rte_lookup4_burst(const RteTable4 *table, const Address4 *__restrict addresses,
                                      std::uint32_t *__restrict hops, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    hops[i] = sartor_fast_path("rte_lookup4", rte_lookup4, table, addresses[i]);
}

[[gnu::pure]] std::uint32_t rte_search6(const RteTable6 *table, std::uint64_t high,
                                        std::uint64_t low) {
  const std::uint64_t halves[] = {__builtin_bswap64(high), __builtin_bswap64(low)};
  std::uint8_t bytes[sizeof halves];
  std::memcpy(bytes, halves, sizeof halves);
  std::uint32_t hop;
  return rte_lpm6_lookup(table->routes, bytes, &hop) == 0 ? hop : table->default_hop;
}

[[gnu::pure]] std::uint32_t rte_lookup6(const RteTable6 *table, std::uint64_t high,
                                        std::uint64_t low) {
  return sartor_custom("rte_tree6", "decision_tree6", rte_search6, table, high, low);
}

SARTOR_HANDLER void rte_lookup6_burst(const RteTable6 *table, const Address6 *__restrict addresses,
                                      std::uint32_t *__restrict hops, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    hops[i] = sartor_fast_path("rte_lookup6", rte_lookup6, table, lpm::high(addresses[i]),
                               lpm::low(addresses[i]));
}

} // extern "C"
