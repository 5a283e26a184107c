// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lookup.h"

#include <sartor/points.h>

using lpm::Address4;
using lpm::Address6;
using lpm::Table4;
using lpm::Table6;

// The functions of the points read only the table, as their attribute declares.
extern "C" {

[[gnu::pure]] std::uint32_t search4(const Table4 *table, Address4 address) {
  return find(table, address);
}

[[gnu::pure]] std::uint32_t lookup4(const Table4 *table, Address4 address) {
  return sartor_custom("tree4", "decision_tree4", search4, table, address);
}

SARTOR_HANDLER void lookup4_burst(const Table4 *table, const Address4 *__restrict addresses,
                                  std::uint32_t *__restrict hops, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    hops[i] = sartor_fast_path("lookup4", lookup4, table, addresses[i]);
}

[[gnu::pure]] std::uint32_t search6(const Table6 *table, std::uint64_t high, std::uint64_t low) {
  return find(table, lpm::address6(high, low));
}

[[gnu::pure]] std::uint32_t lookup6(const Table6 *table, std::uint64_t high, std::uint64_t low) {
  return sartor_custom("tree6", "decision_tree6", search6, table, high, low);
}

SARTOR_HANDLER void lookup6_burst(const Table6 *table, const Address6 *__restrict addresses,
                                  std::uint32_t *__restrict hops, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    hops[i] = sartor_fast_path("lookup6", lookup6, table, lpm::high(addresses[i]),
                               lpm::low(addresses[i]));
}

} // extern "C"
