// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Records the router of the study (studies/router) between two rings in memory, with half of
/// its packets to 64 popular hosts: `record_router NAME SECONDS WATCHED_SECONDS` writes
/// NAME.variants and NAME.watched.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <sartor/sartor.hpp>

#include "lab.h"
#include "ranges.h"
#include "record.h"
#include "traffic.h"

namespace {

using namespace sartor;
constexpr std::size_t routes = 1000, popular = 64;

Configuration path(std::uint64_t size, bool with_search) {
  Configuration configuration;
  if (size > 0)
    configuration.set("lookup", size);
  if (with_search)
    configuration.set("search", 1);
  return configuration;
}

void run(const std::string &name, bench::Lengths lengths) {
  std::vector<std::uint32_t> gateways;
  for (std::uint32_t i = 0; i < 8; ++i)
    gateways.push_back(0x0a02'0010 + i);
  Runtime runtime;
  std::atomic<std::uint64_t> packets = 0;
  router::Lab lab(runtime.handler<&route_burst>(), router::made_up_routes(routes, 1, gateways));
  router::RangeSearch search;
  search.adopt(lab.router().tables());
  runtime.add_custom("ranges", [&](const sartor::GeneratorInput &) { return search.generate(); });
  runtime.instrument({{"lookup", 1}});
  std::jthread loop([&](const std::stop_token &stop) {
    router::Traffic traffic(popular, 0.5, 1);
    std::vector<std::uint32_t> destinations(router::Lab::frames_at_once);
    while (!stop.stop_requested()) {
      for (std::uint32_t &destination : destinations)
        destination = traffic.next();
      lab.fill(destinations);
      lab.route();
      packets += lab.drain();
    }
  });
  std::this_thread::sleep_for(std::chrono::seconds(1)); // profile the popular hosts
  runtime.instrument({});
  bench::record({runtime,
                 Objective::rate_of(packets),
                 {path(0, false), path(16, false), path(64, false), path(256, false), path(0, true),
                  path(16, true), path(64, true)}},
                name, lengths);
  loop = {};
  search.retract();
}

} // namespace

int main(int count, char **values) {
  if (count != 4) {
    std::fprintf(stderr, "usage: record_router NAME SECONDS WATCHED_SECONDS\n");
    return 2;
  }
  try {
    run(values[1], {std::strtod(values[2], nullptr), std::strtod(values[3], nullptr)});
  } catch (const std::exception &error) {
    std::fprintf(stderr, "record_router: %s\n", error.what());
    return 1;
  }
}
