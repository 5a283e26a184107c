// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "burst.h"

#include <sartor/points.h>

#include "ipv4.h"

namespace router {

namespace {

[[gnu::pure]] std::uint32_t linear_search(const Tables *tables, std::uint32_t address) {
  const Route *const routes = tables->routes;
  const std::uint32_t count = tables->route_count;
  for (std::uint32_t i = 0; i < count; ++i)
    if ((address & routes[i].mask) == routes[i].prefix)
      return routes[i].adjacency;
  return no_adjacency;
}

} // namespace

[[gnu::pure]] std::uint32_t lookup(const Tables *tables, std::uint32_t address) {
  return sartor_custom("search", "ranges", linear_search, tables, address);
}

} // namespace router

extern "C" SARTOR_HANDLER void route_burst(const router::Tables *tables, router::Frame *frames,
                                           std::uint32_t count) {
  using namespace router;
  constexpr std::uint32_t ahead = 4;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i + ahead < count)
      __builtin_prefetch(frames[i + ahead].data, 1);
    Frame &frame = frames[i];
    std::uint32_t destination = 0;
    frame.outcome = parse(frame.data, frame.size, tables->own_macs[frame.port], destination);
    if (frame.outcome != Outcome::forwarded)
      continue;
    const Adjacency &adjacency = tables->adjacencies[sartor_fast_path_versioned(
        "lookup", &tables->generation, lookup, tables, destination)];
    frame.outcome = adjacency.outcome;
    if (frame.outcome != Outcome::forwarded)
      continue;
    frame.outcome = pass_on(frame.data, adjacency.link);
    if (frame.outcome == Outcome::forwarded)
      frame.port = adjacency.port;
  }
}
