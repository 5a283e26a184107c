// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rte_table.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>
#include <stdexcept>
#include <string>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lpm.h>
#include <rte_lpm6.h>

namespace lpm {

namespace {

[[noreturn]] void fail(const std::string &what) {
  throw std::runtime_error("DPDK: " + what + ": " + rte_strerror(rte_errno));
}

/// A unique name, which DPDK requires for each table.
std::string new_name() {
  static unsigned number = 0;
  return "lpm_" + std::to_string(++number);
}

/// How many tables of 256 entries are needed for the bits behind the first 24: at most one for each
/// distinct prefix of 24, 32, ... bits that a longer route has.
template <class Address> std::uint32_t groups(const RouteSet<Address> &set) {
  std::set<std::pair<unsigned, Address>> beginnings;
  for (const Route<Address> &route : set.routes())
    for (unsigned length = 24; length < route.length; length += 8)
      beginnings.emplace(length, route.prefix & mask<Address>(length));
  return static_cast<std::uint32_t>(beginnings.size()) + 1;
}

template <class Address> std::uint32_t rules(const RouteSet<Address> &set) {
  return static_cast<std::uint32_t>(set.routes().size()) + 1;
}

} // namespace

void start_rte() {
  static const int started = [] {
    // Static, because DPDK keeps and reorders the arguments.
    static std::string arguments[] = {"lpm",         "--no-huge",      "--no-pci",
                                      "--no-shconf", "--no-telemetry", "--log-level=error",
                                      "-l0",         "-m1024"};
    static std::array<char *, std::size(arguments) + 1> pointers{};
    std::ranges::transform(arguments, pointers.begin(),
                           [](std::string &argument) { return argument.data(); });
    return rte_eal_init(std::size(arguments), pointers.data());
  }();
  if (started < 0)
    fail("cannot start");
}

RteOwner4::RteOwner4(const RouteSet4 &set) {
  start_rte();
  const rte_lpm_config config = {rules(set), groups(set), 0};
  table_ = {rte_lpm_create(new_name().c_str(), -1, &config), set.default_hop()};
  if (!table_.routes)
    fail("no table for IPv4");
  for (const Route<Address4> &route : set.routes())
    if (route.length > 0 && rte_lpm_add(table_.routes, route.prefix,
                                        static_cast<std::uint8_t>(route.length), route.hop) != 0) {
      rte_lpm_free(table_.routes);
      fail("route " + text(route));
    }
}

RteOwner4::~RteOwner4() { rte_lpm_free(table_.routes); }

RteOwner6::RteOwner6(const RouteSet6 &set) {
  start_rte();
  const rte_lpm6_config config = {rules(set), groups(set), 0};
  table_ = {rte_lpm6_create(new_name().c_str(), -1, &config), set.default_hop()};
  if (!table_.routes)
    fail("no table for IPv6");
  for (const Route<Address6> &route : set.routes()) {
    std::uint8_t bytes[16];
    for (unsigned i = 0; i < 16; ++i)
      bytes[i] = static_cast<std::uint8_t>(route.prefix >> (120 - 8 * i));
    if (route.length > 0 && rte_lpm6_add(table_.routes, bytes,
                                         static_cast<std::uint8_t>(route.length), route.hop) != 0) {
      rte_lpm6_free(table_.routes);
      fail("route " + text(route));
    }
  }
}

RteOwner6::~RteOwner6() { rte_lpm6_free(table_.routes); }

} // namespace lpm
