// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file The load generator: requests products of changing sizes from a matrix server.
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "load.h"
#include "protocol.h"

namespace {

struct Arguments {
  std::uint16_t port = 0;
  unsigned connections = 2;
  double seconds = 25;
  std::vector<std::uint32_t> sizes{64, 256, 1024};
  bool self_check = false;
};

volatile std::sig_atomic_t interrupted = 0; ///< Set by signals.

nlohmann::json to_json(const matmul::PhaseTotals &totals) {
  return {{"n", totals.n},
          {"seconds", totals.seconds},
          {"requests", totals.requests},
          {"checked", totals.checked},
          {"wrong", totals.wrong},
          {"median_latency", totals.median_latency},
          {"p99_latency", totals.p99_latency}};
}

/// Writes the totals to the standard output as JSON. False if a product was wrong.
bool run(const Arguments &arguments) {
  std::vector<matmul::Phase> phases;
  for (const std::uint32_t n : arguments.sizes) {
    if (check(matmul::Header{.n = n}) != matmul::Refusal::none)
      throw std::runtime_error("size " + std::to_string(n) + " is not a multiple of 64 up to " +
                               std::to_string(matmul::largest_n));
    phases.push_back({n, std::chrono::duration<double>(arguments.seconds),
                      matmul::make_pairs(n, arguments.self_check)});
  }

  nlohmann::json report{{"phases", nlohmann::json::array()}};
  std::uint64_t requests = 0;
  std::uint64_t checked = 0;
  std::uint64_t wrong = 0;
  for (const auto &totals :
       matmul::run_load(arguments.port, arguments.connections, phases, interrupted)) {
    report["phases"].push_back(to_json(totals));
    requests += totals.requests;
    checked += totals.checked;
    wrong += totals.wrong;
  }
  report.update({{"requests", requests}, {"checked", checked}, {"wrong", wrong}});
  std::puts(report.dump(2).c_str());
  return wrong == 0;
}

} // namespace

int main(int count, char **values) {
  Arguments arguments;
  CLI::App app("Asks a matrix server for products of changing size.");
  app.add_option("--port", arguments.port, "The server's port on 127.0.0.1")->required();
  app.add_option("--connections", arguments.connections)
      ->check(CLI::Range(1, 16))
      ->capture_default_str();
  app.add_option("--seconds", arguments.seconds, "Length of each phase")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--sizes", arguments.sizes, "The phases' matrix sizes")
      ->delimiter(',')
      ->capture_default_str();
  app.add_flag("--self-check", arguments.self_check,
               "Compare every product with that of the plain triple loop");
  CLI11_PARSE(app, count, values);

  for (const int signal : {SIGINT, SIGTERM})
    std::signal(signal, [](int) { interrupted = 1; });
  try {
    if (run(arguments))
      return 0;
    std::fputs("matmul_load: wrong products\n", stderr);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "matmul_load: %s\n", error.what());
  }
  return 1;
}
