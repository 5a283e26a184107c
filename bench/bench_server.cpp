// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How long a request waits for its fully optimised variant from a server, over loopback with TLS,
/// and the same with the compiler inside; what a server answers that has the answers, and whether
/// it holds its clients while others send it garbage.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>

#include <sartor/sartor.hpp>

#include "../test/server/server_process.h"
#include "compile_handler.h"
#include "harness.h"
#include "send_handler.h"

namespace sartor::bench {

const char *const bench_name = "server";

namespace {

constexpr std::size_t kRounds = 60;
constexpr std::size_t kWarmup = 3;
constexpr std::size_t kLoads = 7;
constexpr const char *kLoadSeconds = "2";

using Clock = std::chrono::steady_clock;

/// A configuration never seen before, from the request until its variant is in force.
double specialize(Runtime &runtime, const Configuration &configuration) {
  const auto begin = Clock::now();
  const std::vector<VariantInfo> variants = runtime.specialize(configuration);
  const double milliseconds =
      std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  if (std::ranges::none_of(variants, [](const VariantInfo &variant) {
        return variant.compile_time > std::chrono::nanoseconds();
      }))
    throw std::runtime_error("not compiled: " + configuration.text());
  return milliseconds;
}

Configuration product(std::size_t round) {
  constexpr std::size_t blocks[] = {8, 16, 32};
  return {{"B", blocks[round % std::size(blocks)]}, {"N", 64 * (round + 2)}};
}

Configuration send_path(std::size_t round) {
  return {
      {"most", 500 + 8 * round}, {"sum", round % 2 == 0}, {"version", round % 3 == 0 ? 6U : 4U}};
}

struct Times {
  Samples server;
  Samples inside;
};

Times compare(Runtime &server, Runtime &inside, Configuration (*configuration)(std::size_t)) {
  Times times;
  std::mt19937_64 random(4); // NOLINT(*-random-generator-seed): runs can be repeated
  for (std::size_t round = 0; round < kWarmup + kRounds; ++round) {
    const bool server_first = random() % 2 == 0;
    if (server_first)
      times.server.push_back(specialize(server, configuration(round)));
    times.inside.push_back(specialize(inside, configuration(round)));
    if (!server_first)
      times.server.push_back(specialize(server, configuration(round)));
    if (round + 1 == kWarmup)
      times = {};
  }
  return times;
}

struct Load {
  double per_second = 0;
  int lost = 0;
};

Load load(const ServerProcess &server, unsigned bad) {
  const std::string command =
      std::string(SERVER_LOAD_PROGRAM) + " " + server.tcp() + " " +
      server.file("server.pub").string() + " " + server.file("clients/one.key").string() + " " +
      std::to_string(server.port()) + " 64 " + std::to_string(bad) + " " + kLoadSeconds;
  FILE *output = popen(command.c_str(), "r"); // NOLINT: paths of ours
  std::array<char, 200> line{};
  const bool has_line =
      output && std::fgets(line.data(), static_cast<int>(line.size()), output) != nullptr;
  if (!output || pclose(output) != 0 || !has_line)
    throw std::runtime_error("the clients have failed");
  std::istringstream words(line.data());
  double answered = 0;
  double seconds = 0;
  Load found;
  words >> answered >> seconds >> found.lost;
  found.per_second = answered / seconds;
  return found;
}

} // namespace

std::vector<Figure> measure() {
  const ServerProcess server;
  Runtime far(
      {.compiler = CompilerPlace::server,
       .compiler_server = {server.tcp(), server.file("server.pub"), server.file("clients/one.key")},
       .quick_tier = false});
  Runtime inside({.compiler = CompilerPlace::inside, .quick_tier = false});
  const Times products = compare(far, inside, product);
  const Times sends = compare(far, inside, send_path);
  const auto worst = [](const std::vector<double> &each) { return std::max(each[0], each[1]); };

  Samples cached;
  double lost = 0;
  for (std::size_t i = 0; i < kLoads; ++i)
    cached.push_back(load(server, 0).per_second);
  Samples disturbed;
  for (std::size_t i = 0; i < kLoads; ++i) {
    const Load found = load(server, 6);
    disturbed.push_back(found.per_second);
    lost += found.lost;
  }
  return {
      {"server_over_inside", "ratio",
       over_all({ratios(products.server, products.inside), ratios(sends.server, sends.inside)},
                worst),
       at_most(1.3)},
      {"server_ms", "ms", over_all({products.server, sends.server}, worst), at_most(30)},
      {"product_over_inside", "ratio", ratio(products.server, products.inside)},
      {"send_over_inside", "ratio", ratio(sends.server, sends.inside)},
      {"product_ms", "ms", median(products.server)},
      {"send_ms", "ms", median(sends.server)},
      {"cached_requests_per_second", "1/s", median(cached), at_least(5000)},
      {"disturbed_requests_per_second", "1/s", median(disturbed)},
      {"clients_lost", "clients", {lost, lost, lost}, at_most(0)},
  };
}

} // namespace sartor::bench
