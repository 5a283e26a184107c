// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures the time from a request until its fully optimized variant from a server is
/// active, over loopback with TLS, and the same with the in-process compiler. Also measures the
/// rate of cached answers, whether the server keeps its clients while others send it garbage, how
/// much later the slowest 1 % of answers arrive while another client attacks the server, and the
/// server's memory then.
///
/// Attackers run at a modest rate and with the lowest priority (nice 19), so that they do not take
/// the machine's processors themselves; compilers that they keep busy run with normal priority.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sartor/sartor.hpp>

#include "../test/server/server_process.h"
#include "compile_handler.h"
#include "harness.h"
#include "paths.h"
#include "send_handler.h"

namespace sartor::bench {

const char *const bench_name = "server";

namespace {

constexpr std::size_t kRounds = 60;
constexpr std::size_t kWarmup = 3;
constexpr std::size_t kLoads = 7;
constexpr const char *kLoadSeconds = "2";
constexpr const char *kVictimSeconds = "1";

using Clock = std::chrono::steady_clock;

/// Requests a new configuration; returns the time until its variant is active.
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
  double late = 0; ///< The 99th percentile in milliseconds.
};

Load load(const ServerProcess &server, unsigned clients, unsigned bad,
          const char *time = kLoadSeconds) {
  const std::string command =
      paths::server_load_program() + " " + server.tcp() + " " + server.file("server.pub").string() +
      " " + server.file("clients/one.key").string() + " " + std::to_string(server.port()) + " " +
      std::to_string(clients) + " " + std::to_string(bad) + " " + time;
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
  words >> answered >> seconds >> found.lost >> found.late;
  found.per_second = answered / seconds;
  return found;
}

/// An attack by a client with the key "two", during this object's lifetime.
class Attack {
public:
  Attack(const ServerProcess &server, const char *name) {
    std::array<int, 2> out{};
    if (pipe2(out.data(), O_CLOEXEC) != 0)
      throw std::runtime_error("no pipe");
    process_ = spawn({"/usr/bin/nice", "-n", "19", paths::server_attack_program(), name,
                      std::to_string(server.port()), server.file("clients/two.key")},
                     {.out = out[1]});
    close(out[1]);
    char first = 0;
    const bool has_begun = read(out[0], &first, 1) == 1;
    close(out[0]);
    if (!has_begun)
      throw std::runtime_error(std::string("the attack does not begin: ") + name);
  }
  ~Attack() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  Attack(const Attack &) = delete;
  Attack &operator=(const Attack &) = delete;

private:
  pid_t process_;
};

/// Measures the largest memory of a process during this object's lifetime.
class Watch {
public:
  explicit Watch(pid_t process)
      : thread_([this, process] {
          const std::string path = "/proc/" + std::to_string(process) + "/statm";
          for (; !stop_; std::this_thread::sleep_for(std::chrono::milliseconds(10))) {
            std::ifstream file(path);
            double all = 0;
            double pages = 0;
            file >> all >> pages;
            most_ = std::max(most_, pages * static_cast<double>(sysconf(_SC_PAGESIZE)));
          }
        }) {}
  double stop() {
    stop_ = true;
    thread_.join();
    return most_;
  }

private:
  std::atomic<bool> stop_ = false;
  double most_ = 0;
  std::thread thread_;
};

struct Attacked {
  std::vector<Samples> late_over_alone; ///< For each attack.
  Samples resident;                     ///< Share of the server's memory limit, for each attack.
};

Attacked attack() {
  constexpr double kMemory = 256U << 20;
  constexpr std::array kAttacks{"announcements", "without_keys", "compiles",       "modules",
                                "greetings",     "answers",      "unread_answers", "drafts"};
  ServerProcess server({"--memory", "256MiB", "--workers", "1"});
  server.make_key("clients/two");
  server.stop();
  server.start();
  Attacked found;
  for (const char *name : kAttacks) {
    Samples alone;
    Samples late;
    for (std::size_t i = 0; i < kLoads; ++i)
      alone.push_back(load(server, 1, 0, kVictimSeconds).late);
    Watch watch(server.pid());
    {
      const Attack attack(server, name);
      for (std::size_t i = 0; i < kLoads; ++i)
        late.push_back(load(server, 1, 0, kVictimSeconds).late);
    }
    found.resident.push_back(watch.stop() / kMemory);
    found.late_over_alone.push_back(ratios(late, alone));
    std::printf("%-16s p99 %.3f ms, alone %.3f ms; resident %.3f of the limit\n", name,
                median(late).value, median(alone).value, found.resident.back());
  }
  return found;
}

/// Compares the time of a client's request that another client has made before with that of a new
/// one. Clients that share no group must not be able to distinguish them.
Interval others_answers_over_new() {
  ServerProcess server;
  server.make_key("clients/two");
  server.stop();
  server.start();
  const auto runtime_of = [&](const std::string &client) {
    return Options{.compiler = CompilerLocation::server,
                   .compiler_server = {server.tcp(), server.file("server.pub"),
                                       server.file("clients/" + client + ".key")},
                   .quick_tier = false};
  };
  Runtime one(runtime_of("one"));
  Runtime two(runtime_of("two"));
  const auto wanted = [](std::size_t number) {
    return Configuration{{"most", 500 + 8 * number}, {"sum", true}, {"version", 4U}};
  };
  Samples known;
  Samples fresh;
  std::mt19937_64 random(5); // NOLINT(*-random-generator-seed): runs can be repeated
  for (std::size_t round = 0; round < kWarmup + kRounds; ++round) {
    specialize(one, wanted(2 * round));
    const bool known_first = random() % 2 == 0;
    if (known_first)
      known.push_back(specialize(two, wanted(2 * round)));
    fresh.push_back(specialize(two, wanted(2 * round + 1)));
    if (!known_first)
      known.push_back(specialize(two, wanted(2 * round)));
    if (round + 1 == kWarmup) {
      known.clear();
      fresh.clear();
    }
  }
  return ratio(known, fresh);
}

} // namespace

std::vector<Figure> measure() {
  const Attacked attacked = attack();
  const double resident = std::ranges::max(attacked.resident);
  const ServerProcess server;
  Runtime far(
      {.compiler = CompilerLocation::server,
       .compiler_server = {server.tcp(), server.file("server.pub"), server.file("clients/one.key")},
       .quick_tier = false});
  Runtime inside({.compiler = CompilerLocation::in_process, .quick_tier = false});
  const Times products = compare(far, inside, product);
  const Times sends = compare(far, inside, send_path);
  const auto worst = [](const std::vector<double> &each) { return std::max(each[0], each[1]); };

  Samples cached;
  double lost = 0;
  for (std::size_t i = 0; i < kLoads; ++i)
    cached.push_back(load(server, 64, 0).per_second);
  Samples disturbed;
  for (std::size_t i = 0; i < kLoads; ++i) {
    const Load found = load(server, 64, 6);
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
      {"cached_requests_per_second", "1/s", median(cached), at_least(10'000)},
      {"disturbed_requests_per_second", "1/s", median(disturbed)},
      {"clients_lost", "clients", {lost, lost, lost}, at_most(0)},
      {"victim_p99_over_alone", "ratio",
       over_all(attacked.late_over_alone,
                [](const std::vector<double> &each) { return std::ranges::max(each); }),
       at_most(3)},
      {"others_answers_over_new", "ratio", others_answers_over_new(), at_least(0.8)},
      {"resident_over_memory_limit", "ratio", {resident, resident, resident}, at_most(1.2)},
  };
}

} // namespace sartor::bench
