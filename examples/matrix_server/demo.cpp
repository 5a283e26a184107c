// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file The demonstration: starts the server and the load generator, shows the progress, and
/// prints a summary.
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "ideal.h"
#include "live_page.h"
#include "plot.h"
#include "process.h"
#include "run_report.h"
#include "start.h"
#include "summary.h"
#include "view.h"

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr auto refresh = 200ms;

struct Arguments {
  fs::path output = "build/demo";
  double seconds = 25;
  std::vector<std::uint64_t> sizes{64, 256, 1024};
  bool self_check = false;
  bool ideal = false;
};

/// Paths of the event log and of the files derived from it.
struct Files {
  fs::path events, server, load, summary, viewer, report;

  explicit Files(const fs::path &folder)
      : events(folder / "events.jsonl"), server(folder / "server.log"), load(folder / "load.json"),
        summary(folder / "summary.json"), viewer(folder / "viewer.log"),
        report(folder / "report.html") {
    fs::create_directories(folder);
    fs::remove(events); // otherwise the log is appended to
  }
};

/// Returns when the load generator has finished; `run_report` then holds the run's events.
void watch(const Arguments &arguments, const Files &files, matmul::RunReport &run_report) {
  matmul::StartedServer server({"--event-log", files.events}, files.server);
  const matmul::LivePage page(server.process.id(), files.viewer);
  if (page.address().empty())
    std::printf("No live page: see %s\n", files.viewer.c_str());
  else
    std::printf("Live page: %s\n", page.address().c_str());
  std::printf("In another terminal: sartor top %d\n\n", static_cast<int>(server.process.id()));
  std::fflush(stdout);
  matmul::Process load = matmul::start_load(server.port, arguments.seconds, arguments.sizes,
                                            arguments.self_check, files.load);
  matmul::View view(arguments.seconds * static_cast<double>(arguments.sizes.size()));
  while (!load.status()) {
    matmul::rest(refresh);
    if (server.process.status())
      throw std::runtime_error("the server has ended before its time");
    run_report.read_on();
    view.show(run_report);
  }
  server.process.end();
  run_report.read_on();
  if (load.status() != 0)
    throw std::runtime_error("the load generator has failed");
}

void report(const Arguments &arguments, const Files &files, const matmul::RunReport &run_report) {
  const fs::path &folder = arguments.output;
  std::ifstream load_file(files.load);
  const auto load = nlohmann::ordered_json::parse(load_file);
  std::map<std::uint64_t, matmul::Ideal> ideals;
  if (arguments.ideal) {
    std::printf("\nTrying every configuration by itself ...\n");
    ideals = matmul::find_ideal(arguments.sizes, folder);
  }
  const matmul::Summary summary = matmul::summarize(run_report, ideals);
  std::printf("\n%s\n", table(summary, load).c_str());
  std::ofstream(files.summary) << to_json(summary, load).dump(2) << '\n';
  if (run_report.samples.empty())
    std::printf("Nothing to plot: the server logged no events, as with SARTOR=off.\n");
  else if (matmul::plot(run_report, summary, folder))
    std::printf("%s/throughput.png, throughput.svg, summary.json, events.jsonl\n", folder.c_str());
  else
    std::printf("%s/summary.json, events.jsonl; no plot, because gnuplot failed\n", folder.c_str());
  if (matmul::write_report(files.events, files.report, files.viewer))
    std::printf("%s: the page, for any browser\n", files.report.c_str());
}

} // namespace

int main(int count, char **values) {
  Arguments arguments;
  CLI::App app("Shows a matrix server that finds the best version of its own hot loop.");
  app.add_option("--output", arguments.output, "Folder for the summary, the plot and the log")
      ->capture_default_str();
  app.add_option("--seconds", arguments.seconds, "Length of each phase")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--sizes", arguments.sizes, "The phases' matrix sizes")
      ->delimiter(',')
      ->capture_default_str();
  app.add_flag("--self-check", arguments.self_check,
               "Compare every product with that of the plain triple loop");
  app.add_flag("--ideal", arguments.ideal,
               "Then try every configuration by itself, and hold the server against the best");
  CLI11_PARSE(app, count, values);

  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    std::signal(signal, matmul::interrupt);
  setenv("SARTOR_CONTROL", "1", /*overwrite=*/0); // for the server
  try {
    const Files files(arguments.output);
    matmul::RunReport run_report(files.events);
    watch(arguments, files, run_report);
    report(arguments, files, run_report);
    return 0;
  } catch (const matmul::Interrupted &by) {
    std::fputs("\nmatmul_demo: interrupted\n", stderr);
    return 128 + by.signal;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "matmul_demo: %s\n", error.what());
    return 1;
  }
}
