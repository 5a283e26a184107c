// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file The figures of the study, measured on a router between two rings in memory, without the
/// kernel. Writes the data for plot.gp.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <sartor/sartor.hpp>

#include "lab.h"
#include "policy.h"
#include "traffic.h"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

struct Arguments {
  std::filesystem::path output = "build/studies/router";
  std::size_t routes = 1000;
  std::size_t popular = 64;
  double hits = 0.95;
  double seconds = 16;
};

std::vector<router::RouteLine> routes_of(const Arguments &arguments) {
  std::vector<std::uint32_t> gateways;
  for (std::uint32_t i = 0; i < 8; ++i)
    gateways.push_back(0x0a02'0010 + i);
  return router::made_up_routes(arguments.routes, 1, gateways);
}

/// Fills the lab with random traffic and measures the router alone.
class Driver {
public:
  explicit Driver(router::Lab &lab) : lab_(lab), destinations_(router::Lab::frames_at_once) {}

  void round(router::Traffic &traffic) {
    for (std::uint32_t &destination : destinations_)
      destination = traffic.next();
    lab_.fill(destinations_);
    const auto begin = Clock::now();
    lab_.route();
    busy_ += Clock::now() - begin;
    packets_ += lab_.drain();
  }

  /// Packets per second of the router's time since the last call.
  double take_rate() {
    const double rate =
        static_cast<double>(packets_) / std::chrono::duration<double>(busy_).count();
    packets_ = 0;
    busy_ = {};
    return rate;
  }

private:
  router::Lab &lab_;
  std::vector<std::uint32_t> destinations_;
  std::size_t packets_ = 0;
  Clock::duration busy_{};
};

/// Measures packets/s over time with the policy at work; the destinations change halfway.
void over_time(const Arguments &arguments, router::Lab &lab, sartor::Runtime &runtime) {
  std::ofstream samples(arguments.output / "packets.dat");
  std::ofstream steps(arguments.output / "steps.dat");
  samples << "# seconds, million packets/s\n";
  steps << "# seconds, the active configuration from then on\n";
  Driver driver(lab);
  const auto begin = Clock::now();
  const auto now = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  steps << "0 generic\n";
  std::string active = "{}";
  std::string tried = active;
  double since = 0;
  // Measures the generic code for half a second first, for comparison.
  std::optional<router::Policy> policy;
  for (int phase = 0; phase < 2; ++phase) {
    router::Traffic traffic(arguments.popular, arguments.hits, 10 + phase);
    if (phase > 0)
      steps << now() << " \"other destinations\"\n";
    while (now() < arguments.seconds * (phase + 1) / 2) {
      if (!policy && now() > 0.5) {
        policy.emplace(runtime, lab.router());
        steps << now() << " policy\n";
      }
      const auto next = Clock::now() + 20ms;
      while (Clock::now() < next)
        driver.round(traffic);
      samples << now() << ' ' << driver.take_rate() * 1e-6 << '\n';
      // Configurations appear in each trial; one that stays active is a step of the plot.
      if (std::string text = runtime.configuration().text(); text != tried) {
        since = now();
        tried = std::move(text);
        active.clear();
      }
      if (active.empty() && now() - since > 0.4)
        steps << since << ' ' << (active = tried) << '\n';
    }
  }
  std::printf("after %.0f s: %s\n", now(), active.c_str());
}

/// Measures packets/s for each configuration, interleaved.
void by_size(const Arguments &arguments, router::Lab &lab, sartor::Runtime &runtime) {
  router::RangeSearch search;
  search.adopt(lab.router().tables());
  runtime.add_custom("ranges", [&](const sartor::GeneratorInput &) { return search.generate(); });
  Driver driver(lab);
  // As many popular destinations as the largest fast path answers, so that each size has its share.
  constexpr std::size_t popular = 1024;
  router::Traffic traffic(popular, 1, 20);
  runtime.instrument({{"lookup", 1}});
  runtime.clear_profile();
  for (int i = 0; i < 100; ++i)
    driver.round(traffic);
  runtime.instrument({});

  struct Row {
    unsigned size;
    sartor::Configuration alone = {};
    sartor::Configuration with_search = {};
    std::vector<double> alone_rates = {};
    std::vector<double> with_search_rates = {};
  };
  std::vector<Row> rows;
  for (const unsigned size : {0U, 1U, 4U, 16U, 64U, 256U, 1024U}) {
    Row row{.size = size};
    if (size > 0)
      row.alone.set("lookup", size);
    row.with_search = row.alone;
    row.with_search.set("search", 1);
    rows.push_back(row);
  }
  const auto measure = [&](const sartor::Configuration &configuration, std::vector<double> &rates) {
    runtime.specialize(configuration);
    driver.round(traffic);
    driver.take_rate();
    for (int i = 0; i < 20; ++i)
      driver.round(traffic);
    rates.push_back(driver.take_rate());
  };
  for (int round = 0; round < 15; ++round)
    for (Row &row : rows) {
      measure(row.alone, row.alone_rates);
      measure(row.with_search, row.with_search_rates);
    }
  const auto middle = [](std::vector<double> rates) {
    std::nth_element(rates.begin(), rates.begin() + std::ssize(rates) / 2, rates.end());
    return rates[rates.size() / 2];
  };
  std::ofstream file(arguments.output / "sizes.dat");
  file << "# size of the fast path, speedup with it alone, with the range search too\n";
  std::printf("\n%zu routes, %zu destinations, equally popular\n", arguments.routes, popular);
  std::printf("%10s %16s %9s %22s %9s\n", "fast path", "packets/s", "speedup", "with range search",
              "speedup");
  const double generic = middle(rows.front().alone_rates);
  for (const Row &row : rows) {
    const double alone = middle(row.alone_rates);
    const double with_search = middle(row.with_search_rates);
    file << row.size << ' ' << alone / generic << ' ' << with_search / generic << '\n';
    std::printf("%10u %14.2f M %8.1fx %20.2f M %8.1fx\n", row.size, alone * 1e-6, alone / generic,
                with_search * 1e-6, with_search / generic);
  }
  search.retract();
  runtime.specialize({});
}

} // namespace

int main(int count, char **values) {
  Arguments arguments;
  CLI::App app("Measures the router between rings in memory.");
  app.add_option("--output", arguments.output, "Folder for data")->capture_default_str();
  app.add_option("--routes", arguments.routes)->capture_default_str();
  app.add_option("--popular", arguments.popular, "Popular destinations")->capture_default_str();
  app.add_option("--hits", arguments.hits, "Share of packets to them")->capture_default_str();
  app.add_option("--seconds", arguments.seconds, "Length of the part over time")
      ->capture_default_str();
  CLI11_PARSE(app, count, values);
  try {
    std::filesystem::create_directories(arguments.output);
    sartor::Options options;
    options.event_log = arguments.output / "events.jsonl";
    std::filesystem::remove(options.event_log); // otherwise the log is appended to
    sartor::Runtime runtime(options);
    router::Lab lab(runtime.handler<&route_burst>(), routes_of(arguments));
    by_size(arguments, lab, runtime);
    over_time(arguments, lab, runtime);
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "router_study: %s\n", error.what());
    return 1;
  }
}
