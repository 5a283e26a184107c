// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file router_generator: generates routes; sends packets through a router and checks the output;
/// compares its counters with the router's.
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "generator.h"
#include "outcome.h"
#include "routes.h"
#include "traffic.h"

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

struct Arguments {
  std::vector<std::string> sides;
  fs::path routes;
  fs::path destinations;
  fs::path report;
  fs::path counters;
  std::vector<std::string> gateways;
  std::size_t route_count = 1000;
  std::size_t popular = 64;
  std::size_t packets = 20'000;
  double hits = 0.9;
  double broken = 0.05;
  std::uint64_t seed = 1;
};

int make_routes(const Arguments &arguments) {
  std::vector<std::uint32_t> gateways;
  for (const std::string &text : arguments.gateways) {
    const auto address = router::read_address(text);
    if (!address)
      throw router::BadRoutes("\"" + text + "\" is no address");
    gateways.push_back(*address);
  }
  std::ofstream file(arguments.routes);
  write_routes(file, router::made_up_routes(arguments.route_count, arguments.seed, gateways));
  return file.good() ? 0 : 1;
}

int send(const Arguments &arguments) {
  std::vector<router::Side> sides;
  for (const std::string &text : arguments.sides) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
      throw router::BadRoutes("\"" + text + "\" is no side; write it as eth0=192.0.2.1/24");
    sides.push_back(
        {router::Link(text.substr(0, equals)), router::read_network(text.substr(equals + 1))});
  }
  router::Generator generator(std::move(sides), router::read_routes(arguments.routes));
  router::Traffic traffic = arguments.destinations.empty()
                                ? router::Traffic(arguments.popular, arguments.hits, arguments.seed)
                                : router::Traffic(router::read_addresses(arguments.destinations),
                                                  arguments.hits, arguments.seed);
  if (!generator.resolve()) {
    std::fprintf(stderr, "router_generator: the router does not answer, or does not forward\n");
    return 1;
  }
  std::vector<std::uint32_t> destinations(arguments.packets);
  for (std::uint32_t &destination : destinations)
    destination = traffic.next();
  const auto begin = std::chrono::steady_clock::now();
  const bool complete = generator.send(destinations, arguments.broken, arguments.seed);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;

  const router::Account &account = generator.account();
  Json outcomes;
  for (std::size_t i = 0; i < router::outcome_count; ++i)
    outcomes[router::outcome_names[i]] = account.sent[i];
  std::ofstream(arguments.report) << Json{{"outcomes", outcomes},
                                          {"right", account.right},
                                          {"wrong", account.wrong},
                                          {"stray", account.stray}}
                                         .dump(2)
                                  << '\n';
  std::printf("%zu packets in %.2f s; came out right: %lu, wrong: %lu, stray: %lu%s\n",
              arguments.packets, time.count(), account.right, account.wrong, account.stray,
              complete ? "" : "; some never came back");
  return complete && account.wrong == 0 && account.stray == 0 ? 0 : 1;
}

int compare(const Arguments &arguments) {
  std::ifstream sent_file(arguments.report);
  std::ifstream counted_file(arguments.counters);
  const Json sent = Json::parse(sent_file);
  const Json counted = Json::parse(counted_file);
  bool same = sent.at("right") == sent.at("outcomes").at("forwarded");
  std::printf("%-20s %12s %12s\n", "outcome", "to expect", "router");
  for (const auto &[name, expected] : sent.at("outcomes").items()) {
    const Json &router = counted.at("outcomes").at(name);
    if (expected == 0 && router == 0)
      continue;
    std::printf("%-20s %12lu %12lu%s\n", name.c_str(), expected.get<std::uint64_t>(),
                router.get<std::uint64_t>(), expected == router ? "" : "  differs");
    same = same && expected == router;
  }
  std::printf("%s\n", same ? "every frame is accounted for" : "NOT every frame is accounted for");
  return same ? 0 : 1;
}

} // namespace

int main(int count, char **values) {
  Arguments arguments;
  CLI::App app("Sends packets through a router and checks what comes out.");
  app.require_subcommand(1);

  CLI::App *const routes = app.add_subcommand("routes", "Makes up a route file");
  routes->add_option("FILE", arguments.routes)->required();
  routes->add_option("--gateway", arguments.gateways, "Addresses of next hops")->required();
  routes->add_option("--count", arguments.route_count)->capture_default_str();
  routes->add_option("--seed", arguments.seed)->capture_default_str();

  CLI::App *const sending = app.add_subcommand("send", "Sends, and checks what comes out");
  sending
      ->add_option("--side", arguments.sides,
                   "An interface and the router's address behind it: eth0=192.0.2.1/24. The first "
                   "is sent by")
      ->required();
  sending->add_option("--routes", arguments.routes, "The router's route file")->required();
  sending->add_option("--destinations", arguments.destinations,
                      "A file of popular addresses; made up if there is none");
  sending->add_option("--popular", arguments.popular, "How many popular addresses to make up")
      ->capture_default_str();
  sending->add_option("--hits", arguments.hits, "Share of packets to them")->capture_default_str();
  sending->add_option("--broken", arguments.broken, "Share of packets with a flaw")
      ->capture_default_str();
  sending->add_option("--packets", arguments.packets)->capture_default_str();
  sending->add_option("--seed", arguments.seed)->capture_default_str();
  sending->add_option("--report", arguments.report, "Where the account goes, as JSON")->required();

  CLI::App *const comparing = app.add_subcommand("compare", "Compares accounts");
  comparing->add_option("REPORT", arguments.report, "What `send` wrote")->required();
  comparing->add_option("COUNTERS", arguments.counters, "What the router wrote")->required();
  CLI11_PARSE(app, count, values);
  try {
    return *routes ? make_routes(arguments) : *sending ? send(arguments) : compare(arguments);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "router_generator: %s\n", error.what());
    return 1;
  }
}
