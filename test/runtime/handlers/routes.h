// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_RUNTIME_HANDLERS_ROUTES_H
#define SARTOR_TEST_RUNTIME_HANDLERS_ROUTES_H

#include <cstdint>

/// A table that is searched from the front.
struct Routes {
  std::uint32_t count;
  std::uint64_t version;
  struct Route {
    std::uint32_t destination;
    std::uint16_t port;
  } list[64];
};

/// Number of calls of the native look-up.
extern std::uint64_t lookups;
extern Routes global_routes;

/// Maps destinations 0, 10, 20, ... to ports 1, 2, 3, ...
inline Routes some_routes(std::uint32_t count) {
  Routes routes{count, 0, {}};
  for (std::uint32_t i = 0; i < count; ++i)
    routes.list[i] = {i * 10, static_cast<std::uint16_t>(i + 1)};
  return routes;
}

std::uint16_t find_port(const Routes *routes, std::uint32_t destination);
/// Searches a table that is not known to be invariant.
std::uint64_t forward(const Routes *routes, std::uint32_t destination, int extra);
/// The same with a version.
std::uint64_t forward_versioned(const Routes *routes, std::uint32_t destination);
std::uint64_t forward_global(std::uint32_t destination);
/// A fast path around a function with a side effect.
std::uint64_t forward_counted(std::uint32_t destination);
std::uint64_t forward_counted_but_declared(std::uint32_t destination);
double weigh_ports(float scale, const Routes &routes, std::uint8_t first, bool all);

#endif
