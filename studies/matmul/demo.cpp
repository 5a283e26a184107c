// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The demonstration: starts the server and the load generator, shows what happens, and sums up.
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "plot.h"
#include "process.h"
#include "story.h"
#include "summary.h"
#include "view.h"

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr auto refresh = 200ms;

struct Arguments {
  fs::path output = "build/studies/matmul";
  double seconds = 25;
  std::vector<std::uint64_t> sizes{64, 256, 1024};
  bool self_check = false;
};

/// Where the event log and everything made from it lies.
struct Files {
  fs::path events, server, load, summary;

  explicit Files(const fs::path &folder)
      : events(folder / "events.jsonl"), server(folder / "server.log"), load(folder / "load.json"),
        summary(folder / "summary.json") {
    fs::create_directories(folder);
    fs::remove(events); // the log is appended to
  }
};

volatile std::sig_atomic_t interrupted = 0;

struct Interrupted : std::exception {};

void rest(std::chrono::milliseconds time) {
  std::this_thread::sleep_for(time);
  if (interrupted)
    throw Interrupted();
}

std::string program(const char *name) {
  return fs::read_symlink("/proc/self/exe").parent_path() / name;
}

/// Waits until the server says which port it got.
std::string port_of(matmul::Process &server, const fs::path &output) {
  for (auto end = std::chrono::steady_clock::now() + 30s; std::chrono::steady_clock::now() < end;) {
    std::ifstream file(output);
    std::string line;
    if (std::getline(file, line) && !file.eof()) // eof: the line is not complete
      return line.substr(line.rfind(':') + 1);
    if (server.status())
      throw std::runtime_error("the server did not start");
    rest(20ms);
  }
  throw std::runtime_error("the server does not say that it listens");
}

std::vector<std::string> load_command(const Arguments &arguments, const std::string &port) {
  std::ostringstream sizes;
  for (const std::uint64_t n : arguments.sizes)
    sizes << (sizes.tellp() > 0 ? "," : "") << n;
  std::vector<std::string> command{program("matmul_load"),
                                   "--port",
                                   port,
                                   "--seconds",
                                   std::to_string(arguments.seconds),
                                   "--sizes",
                                   sizes.str()};
  if (arguments.self_check)
    command.emplace_back("--self-check");
  return command;
}

/// Returns when the load generator has finished; what happened is in the story then.
void watch(const Arguments &arguments, const Files &files, matmul::Story &story) {
  matmul::Process server({program("matmul_server"), "--event-log", files.events}, files.server);
  const std::string port = port_of(server, files.server);
  matmul::Process load(load_command(arguments, port), files.load);
  matmul::View view(arguments.seconds * static_cast<double>(arguments.sizes.size()));
  while (!load.status()) {
    rest(refresh);
    if (server.status())
      throw std::runtime_error("the server has ended before its time");
    story.read_on();
    view.show(story);
  }
  server.end();
  story.read_on();
  if (load.status() != 0)
    throw std::runtime_error("the load generator has failed");
}

void report(const Files &files, const matmul::Story &story, const fs::path &folder) {
  std::ifstream load_file(files.load);
  const auto load = nlohmann::ordered_json::parse(load_file);
  const matmul::Summary summary = matmul::summarize(story);
  std::printf("\n%s\n", table(summary, load).c_str());
  std::ofstream(files.summary) << to_json(summary, load).dump(2) << '\n';
  if (story.samples.empty())
    std::printf("Nothing to plot: the server logged no events, as with SARTOR=off.\n");
  else if (matmul::plot(story, summary, folder))
    std::printf("%s/throughput.png, throughput.svg, summary.json, events.jsonl\n", folder.c_str());
  else
    std::printf("%s/summary.json, events.jsonl; no plot, because gnuplot failed\n", folder.c_str());
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
  CLI11_PARSE(app, count, values);

  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    std::signal(signal, [](int number) { interrupted = number; });
  try {
    const Files files(arguments.output);
    matmul::Story story(files.events);
    watch(arguments, files, story);
    report(files, story, arguments.output);
    return 0;
  } catch (const Interrupted &) {
    std::fputs("\nmatmul_demo: interrupted\n", stderr);
    return 128 + interrupted;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "matmul_demo: %s\n", error.what());
    return 1;
  }
}
