// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "routes.h"

#include <sartor/points.h>

std::uint64_t lookups = 0;
Routes global_routes = {3, 0, {{10, 1}, {20, 2}, {30, 3}}};

std::uint16_t find_port(const Routes *routes, std::uint32_t destination) {
  for (std::uint32_t i = 0; i < routes->count; ++i)
    if (routes->list[i].destination == destination)
      return routes->list[i].port;
  return 0;
}

namespace {

std::uint16_t counted(std::uint32_t destination) {
  ++lookups;
  return static_cast<std::uint16_t>(destination * 7);
}

[[noreturn]] __attribute__((noinline)) void count_and_throw() {
  ++lookups;
  throw 1;
}

std::uint16_t leaving(std::uint32_t destination) {
  if (destination > 1000)
    count_and_throw();
  return static_cast<std::uint16_t>(destination * 7);
}

std::uint16_t coming_back(std::uint32_t destination) {
  try {
    return leaving(destination);
  } catch (int) {
    return 0;
  }
}

__attribute__((pure)) std::uint16_t declared(std::uint32_t destination);
std::uint16_t declared(std::uint32_t destination) {
  ++lookups;
  return static_cast<std::uint16_t>(destination * 5 + global_routes.count);
}

} // namespace

SARTOR_HANDLER std::uint64_t forward(const Routes *routes, std::uint32_t destination, int extra) {
  const std::uint16_t port = sartor_fast_path("port", find_port, routes, destination);
  return static_cast<std::uint64_t>(port) * 1000 + static_cast<std::uint64_t>(extra);
}

SARTOR_HANDLER std::uint64_t forward_versioned(const Routes *routes, std::uint32_t destination) {
  return sartor_fast_path_versioned("versioned", &routes->version, find_port, routes, destination) +
         1000U;
}

SARTOR_HANDLER std::uint64_t forward_global(std::uint32_t destination) {
  return find_port(&global_routes, destination) + 500U;
}

SARTOR_HANDLER std::uint64_t forward_counted(std::uint32_t destination) {
  return sartor_fast_path("counted", counted, destination);
}

SARTOR_HANDLER std::uint64_t forward_unless_leaving(std::uint32_t destination) {
  return sartor_fast_path("leaving", leaving, destination);
}

SARTOR_HANDLER std::uint64_t forward_coming_back(std::uint32_t destination) {
  return sartor_fast_path("coming_back", coming_back, destination);
}

SARTOR_HANDLER std::uint64_t forward_counted_but_declared(std::uint32_t destination) {
  return sartor_fast_path("declared", declared, destination);
}

SARTOR_HANDLER double weigh_ports(float scale, const Routes &routes, std::uint8_t first, bool all) {
  double sum = 0;
  for (std::uint32_t i = first; i < routes.count; ++i)
    if (all || routes.list[i].port % 2 == 1)
      sum += scale * static_cast<float>(routes.list[i].port);
  return sum;
}
