// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file The router as a program: ports of the kernel, routes from a file, specialized by Sartor.
#include <atomic>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <sartor/sartor.hpp>

#include "environment.h"
#include "loop.h"
#include "policy.h"
#include "rest.h"
#include "router.h"
#include "signals.h"

namespace {

struct Arguments {
  std::vector<std::string> ports;
  std::filesystem::path routes;
  std::filesystem::path counters;
  std::filesystem::path event_log;
};

/// `r0=10.1.0.1/16`: a kernel interface and the router's address there.
struct PortArgument {
  std::string interface;
  router::Network network;

  explicit PortArgument(const std::string &text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
      throw router::BadRoutes("\"" + text + "\" is no port; write it as eth0=192.0.2.1/24");
    interface = text.substr(0, equals);
    network = router::read_network(text.substr(equals + 1));
  }
};

void write_counters(const std::filesystem::path &path, const router::Router &router,
                    const sartor::Runtime &runtime) {
  nlohmann::ordered_json outcomes;
  for (std::size_t i = 0; i < router::outcome_count; ++i)
    outcomes[router::outcome_names[i]] =
        router.counters().of(static_cast<router::Outcome>(i)).load();
  const nlohmann::ordered_json report{{"outcomes", outcomes},
                                      {"configuration", runtime.configuration().text()}};
  if (path.empty())
    std::printf("%s\n", report.dump(2).c_str());
  else if (!(std::ofstream(path) << report.dump(2) << '\n'))
    throw std::runtime_error(path.string() + ": cannot be written");
}

void reload(router::Router &router, const std::filesystem::path &routes) {
  try {
    router.set_routes(router::read_routes(routes));
  } catch (const router::BadRoutes &error) {
    std::fprintf(stderr, "router: the routes stay as they are: %s\n", error.what());
  }
}

void run(const Arguments &arguments) {
  std::vector<PortArgument> wanted(arguments.ports.begin(), arguments.ports.end());
  std::vector<std::string> devices;
  for (const PortArgument &port : wanted)
    devices.push_back("net_af_packet" + std::to_string(devices.size()) +
                      ",iface=" + port.interface);

  sartor::Options options;
  options.event_log = arguments.event_log;
  sartor::Runtime runtime(options);
  dpdk::Environment environment(devices);
  std::vector<router::Port> ports;
  std::vector<std::uint16_t> numbers;
  const auto count = static_cast<std::uint16_t>(wanted.size());
  for (std::uint16_t i = 0; i < count; ++i) {
    environment.start(i);
    numbers.push_back(i);
    ports.push_back({dpdk::mac_of(i), wanted[i].network.prefix, wanted[i].network.length});
  }
  router::Router router(ports);
  router.set_routes(router::read_routes(arguments.routes));
  router::Loop loop(router, runtime.handler<&route_burst>(), numbers);
  std::optional<router::Policy> policy; // Empty with SARTOR=off, which has no points.
  if (runtime.active())
    policy.emplace(runtime, router);

  std::printf("routing between %zu ports\n", ports.size());
  std::fflush(stdout);
  // Frames may still be in flight when the program is asked to end: it ends when no more arrive.
  studies::Rest rest;
  for (bool busy = true; busy || !studies::end_requested();) {
    busy = loop.poll() > 0;
    if (studies::reload_requested())
      reload(router, arguments.routes);
    rest.after(busy);
  }
  policy.reset();
  write_counters(arguments.counters, router, runtime);
}

} // namespace

int main(int count, char **values) {
  Arguments arguments;
  CLI::App app("Routes IPv4 between network interfaces. SIGHUP: reads the routes again.");
  app.add_option("--port", arguments.ports, "An interface and the address there: eth0=192.0.2.1/24")
      ->required();
  app.add_option("--routes", arguments.routes, "A file of lines \"198.51.100.0/24 via 192.0.2.2\"")
      ->required();
  app.add_option("--counters", arguments.counters,
                 "Where to write what became of all frames, as JSON, at the end");
  app.add_option("--event-log", arguments.event_log, "Where events go, as JSON lines");
  CLI11_PARSE(app, count, values);
  studies::listen_to_signals();
  try {
    run(arguments);
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "router: %s\n", error.what());
    return 1;
  }
}
