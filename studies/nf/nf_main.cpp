// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file A network function as a program with two DPDK ports, a configuration file, and Sartor.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <sartor/sartor.hpp>

#include "environment.h"
#include "loop.h"
#include "port_io.h"
#include "rest.h"
#include "service.h"
#include "settings.h"
#include "signals.h"
#include "tuning.h"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kBetweenSweeps = 1ms;
/// Frames may still be in flight when the program is asked to end.
constexpr auto kLongestEnd = 1s;

struct Arguments {
  std::string function;
  std::filesystem::path config;
  std::string external;
  std::string internal;
  std::uint32_t flows = 65'536;
  std::filesystem::path statistics;
  std::filesystem::path event_log;
};

void write_statistics(const std::filesystem::path &path, const nf::Function &function,
                      const nf::Work &work, const nf::PortIo &ports,
                      const sartor::Runtime &runtime) {
  nlohmann::ordered_json outcomes;
  for (std::size_t i = 0; i < function.outcomes.size(); ++i)
    outcomes[function.outcomes[i]] = function.counts[i];
  const nlohmann::ordered_json report{{"function", function.name},
                                      {"outcomes", outcomes},
                                      {"external", work.packets[nf_external].load()},
                                      {"internal", work.packets[nf_internal].load()},
                                      {"unsent", ports.unsent()},
                                      {"configuration", runtime.configuration().text()}};
  if (path.empty())
    std::printf("%s\n", report.dump(2).c_str());
  else if (!(std::ofstream(path) << report.dump(2) << '\n'))
    throw std::runtime_error(path.string() + ": cannot be written");
}

void reload(nf::Service &service, const std::filesystem::path &file) {
  try {
    service.configure(nf::read_configuration(file));
    std::printf("configured anew\n");
  } catch (const nf::BadConfiguration &error) {
    std::printf("the configuration stays as it is: %s\n", error.what());
  }
  std::fflush(stdout);
}

void run(const Arguments &arguments) {
  const nf::Function *const function = nf::function_named(arguments.function);
  if (!function)
    throw nf::BadConfiguration(arguments.function + ": there is no function of that name");
  sartor::Runtime runtime(nf::runtime_options(arguments.event_log));
  nf::Service service(runtime, *function, nf::read_configuration(arguments.config),
                      arguments.flows);

  dpdk::Environment environment({arguments.external, arguments.internal});
  nf::PortIo ports({environment.start(arguments.external), environment.start(arguments.internal)});
  nf::Work work;
  nf::Loop loop(ports.io(), [&](NfIo *io, NfSide side) { return service.poll(io, side); }, work);
  std::optional<nf::Tuning> tuning; // Empty with SARTOR=off, which has no points.
  if (runtime.active())
    tuning.emplace(runtime, *function, work);

  std::printf("%s is running\n", arguments.function.c_str());
  std::fflush(stdout);
  Clock::time_point swept = Clock::now();
  std::optional<Clock::time_point> end;
  studies::Rest rest;
  for (bool busy = true; !end || (busy && Clock::now() < *end);) {
    if (studies::end_requested() && !end)
      end = Clock::now() + kLongestEnd;
    busy = loop.round() > 0;
    if (const auto now = Clock::now(); now - swept >= kBetweenSweeps) {
      function->sweep(ports.io().now(&ports.io()));
      swept = now;
    }
    if (studies::reload_requested())
      reload(service, arguments.config);
    rest.after(busy);
  }
  tuning.reset();
  write_statistics(arguments.statistics, *function, work, ports, runtime);
}

} // namespace

int main(int count, char **values) {
  Arguments arguments;
  CLI::App app("Runs a network function between two ports. SIGHUP: reads the configuration again.");
  std::string names;
  for (const nf::Function *const function : nf::all_functions())
    names += (names.empty() ? "" : ", ") + std::string(function->name);
  app.add_option("--function", arguments.function, "One of: " + names)->required();
  app.add_option("--config", arguments.config, "A TOML file with a table of the function's name")
      ->required();
  app.add_option("--external", arguments.external,
                 "A device of DPDK's, as its --vdev: net_af_packet0,iface=eth0")
      ->required();
  app.add_option("--internal", arguments.internal, "The other one")->required();
  app.add_option("--flows", arguments.flows, "For how many flows there is room")
      ->check(CLI::Range(1U, 1U << 24U))
      ->capture_default_str();
  app.add_option("--statistics", arguments.statistics,
                 "Where to write what became of all packets, as JSON, at the end");
  app.add_option("--event-log", arguments.event_log, "Where events go, as JSON lines");
  CLI11_PARSE(app, count, values);
  studies::listen_to_signals();
  try {
    run(arguments);
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "nf: %s\n", error.what());
    return 1;
  }
}
