// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file The matrix server with Sartor, which finds the best variant of its hot loop.
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <sartor/sartor.hpp>

#include "asio.h"
#include "matmul.h"
#include "server.h"

namespace {

using namespace std::chrono_literals;

struct Arguments {
  std::uint16_t port = 0;
  std::uint64_t block = 16;
  std::filesystem::path event_log;
  std::string configuration;
};

/// B affects only the speed: every block size gives the right product. N is not known in advance;
/// these values are tried.
sartor::ExplorerOptions exploration() {
  sartor::ExplorerOptions options;
  options.choices["N"] = {64, 256, 1024};
  options.unguarded = {"B"};
  // A phase of the demo takes 25 s, also on a busy machine, where samples are noisy: exploring may
  // cost half of the throughput for as long as it takes, nearly equal configurations do not race
  // for long, and a new N is noticed early.
  options.regression_budget = 0.5;
  options.confirm_for = 1s;
  options.tolerance = 0.03;
  options.most_samples = 20;
  options.detection_window = 500ms;
  return options;
}

/// Writes the server's rate to the event log ten times a second, until requested to stop.
void log_throughput(const std::stop_token &stop, const sartor::Runtime &runtime,
                    const matmul::Counters &counters) {
  auto last_time = std::chrono::steady_clock::now();
  std::uint64_t last_madds = counters.madds;
  for (auto next = last_time + 100ms; !stop.stop_requested(); next += 100ms) {
    std::this_thread::sleep_until(next);
    const auto now = std::chrono::steady_clock::now();
    const std::uint64_t madds = counters.madds;
    const double seconds = std::chrono::duration<double>(now - last_time).count();
    std::uint64_t guard_failures = 0;
    for (const auto &[label, count] : runtime.statistics().guard_failures)
      guard_failures += count;
    runtime.log_event("throughput",
                      nlohmann::json{{"madds", madds},
                                     {"rate", static_cast<double>(madds - last_madds) / seconds},
                                     {"requests", counters.requests.load()},
                                     {"n", counters.n.load()},
                                     {"text", runtime.configuration().text()},
                                     {"guard_failures", guard_failures}}
                          .dump());
    last_time = now;
    last_madds = madds;
  }
}

void run(const Arguments &arguments) {
  sartor::Options options;
  options.event_log = arguments.event_log;
  sartor::Runtime runtime(options);

  matmul::Counters counters;
  std::optional<sartor::Explorer> explorer; // Empty with SARTOR=off, which has no points.
  if (runtime.active() && !arguments.configuration.empty()) {
    runtime.specialize(sartor::Configuration::from_json(arguments.configuration));
  } else if (runtime.active()) {
    runtime.instrument({{"N", 1}}); // another size is another workload
    explorer.emplace(runtime, sartor::Objective::rate_of(counters.madds, "throughput", "madd/s"),
                     exploration());
  }

  // An idle server gives no samples to explore with.
  bool exploring = false;
  const auto on_size = [&](std::uint64_t n) {
    runtime.log_event("phase", nlohmann::json{{"n", n}}.dump());
    if (explorer && exploring != (n != 0)) {
      exploring = n != 0;
      exploring ? explorer->start() : explorer->stop();
    }
  };

  asio::io_context io(1);
  matmul::Server server(io, arguments.port, runtime.handler<&multiply_stripe>(), arguments.block,
                        counters, on_size);
  asio::signal_set signals(io, SIGINT, SIGTERM);
  signals.async_wait([&](const std::error_code &, int) { io.stop(); });

  std::printf("listening on 127.0.0.1:%d\n", server.port());
  std::fflush(stdout);
  const std::jthread logger(
      [&](const std::stop_token &stop) { log_throughput(stop, runtime, counters); });
  io.run();
}

} // namespace

int main(int count, char **values) {
  Arguments arguments;
  CLI::App app("Multiplies square u64 matrices for clients, ever faster.");
  app.add_option("--port", arguments.port, "Port on 127.0.0.1; 0 for any free one")
      ->capture_default_str();
  app.add_option("--block", arguments.block, "Block size of the code that is not specialized")
      ->check(CLI::IsMember({2, 4, 8, 16, 32, 64}))
      ->capture_default_str();
  app.add_option("--event-log", arguments.event_log, "Where events go, as JSON lines");
  app.add_option("--configuration", arguments.configuration,
                 "In force from the beginning, and nothing is explored: JSON, as {\"B\":16}");
  CLI11_PARSE(app, count, values);
  try {
    run(arguments);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "matmul_server: %s\n", error.what());
    return 1;
  }
}
