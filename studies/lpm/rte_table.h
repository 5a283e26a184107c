// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LPM_RTE_TABLE_H
#define LPM_RTE_TABLE_H

#include <cstdint>

#include "address.h"
#include "routes.h"

struct rte_lpm;  // NOLINT(*-identifier-naming): DPDK's
struct rte_lpm6; // NOLINT(*-identifier-naming): DPDK's

namespace lpm {

/// Routes in DPDK's table for IPv4. The table has no default route, hence `default_hop`.
struct RteTable4 {
  rte_lpm *routes;
  std::uint32_t default_hop;
};
/// Routes in DPDK's table for IPv6.
struct RteTable6 {
  rte_lpm6 *routes;
  std::uint32_t default_hop;
};

/// Starts DPDK's memory management, without huge pages, devices or shared files, when first called.
/// Throws std::runtime_error. Not thread-safe.
void start_rte();

/// Builds and owns a table. Throws std::runtime_error if DPDK cannot create it.
class RteOwner4 {
public:
  explicit RteOwner4(const RouteSet4 &set);
  ~RteOwner4();
  RteOwner4(const RteOwner4 &) = delete;
  RteOwner4 &operator=(const RteOwner4 &) = delete;

  [[nodiscard]] const RteTable4 *table() const { return &table_; }

private:
  RteTable4 table_{};
};

/// The same for IPv6.
class RteOwner6 {
public:
  explicit RteOwner6(const RouteSet6 &set);
  ~RteOwner6();
  RteOwner6(const RteOwner6 &) = delete;
  RteOwner6 &operator=(const RteOwner6 &) = delete;

  [[nodiscard]] const RteTable6 *table() const { return &table_; }

private:
  RteTable6 table_{};
};

} // namespace lpm

#endif
