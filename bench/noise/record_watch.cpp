// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Records the measurements of change detection for a program in which nothing changes
/// (record.h): `record_watch PROGRAM FILE SECONDS`. PROGRAM is one of
///
///     server   two threads serve requests that arrive at random moments, in sessions; the
///              offered load varies from 15 to 60 % of a core
///     batch    two threads serve requests of the same handler as fast as they can
///     turns    eight threads on as many cores as there are work in bursts and sleep between
///
/// README_watched.md has the details.

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sartor/sartor.hpp>

#include "../regret_handler.h"
#include "hour_handler.h"
#include "record.h"

namespace {

using namespace sartor;
using namespace sartor::bench;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kServers = 2;
constexpr std::size_t kTurners = 8;
constexpr double kLeastLoad = 0.15, kMostLoad = 0.6; ///< Share of a core.
constexpr double kStays = 0.9; ///< Probability that the next request belongs to the same session.
constexpr std::uint32_t kTurns = 2000, kRivalTurns = 2200;

/// Generates the kinds of requests, which come in sessions.
class Sessions {
public:
  explicit Sessions(std::uint64_t seed) : random_(seed) {}
  std::size_t next() {
    if (!std::bernoulli_distribution(kStays)(random_))
      kind_ = kinds_(random_);
    return kind_;
  }
  std::mt19937_64 &random() { return random_; }

private:
  std::mt19937_64 random_;
  std::discrete_distribution<std::size_t> kinds_{30, 22, 15, 12, 8, 6, 4, 3};
  std::size_t kind_ = 0;
};

/// A program for the recording; no request waits for another.
class WatchedProgram {
public:
  explicit WatchedProgram(std::string_view name)
      : configurations_(name == "turns" ? std::vector<Configuration>{{{"variant", unguarded(0)}},
                                                                     {{"variant", unguarded(1)}}}
                                        : std::vector<Configuration>{{{"B", unguarded(16)}},
                                                                     {{"B", unguarded(8)}}}) {
    for (const Configuration &configuration : {rival(), incumbent()})
      runtime_.specialize(configuration);
    if (name != "turns")
      runtime_.instrument({{"kind", 1}});
    for (const Configuration &configuration : {rival(), incumbent()})
      runtime_.specialize(configuration);
    for (std::size_t i = 0; i < (name == "turns" ? kTurners : kServers); ++i)
      threads_.emplace_back([this, i, name = std::string(name)](const std::stop_token &stop) {
        name == "turns" ? turn_for_ever(i, stop) : serve_for_ever(i, name == "server", stop);
      });
  }

  Runtime &runtime() { return runtime_; }
  [[nodiscard]] const Configuration &incumbent() const { return configurations_[0]; }
  [[nodiscard]] const Configuration &rival() const { return configurations_[1]; }
  [[nodiscard]] Objective throughput() const { return Objective::rate_of(done_); }

private:
  void serve_for_ever(std::size_t which, bool waits, const std::stop_token &stop) {
    const auto handler = runtime_.handler<&serve>();
    const auto bench = std::make_unique<Bench>();
    Sessions sessions(which + 1);
    for (auto *matrix : {&bench->a, &bench->b, &bench->c})
      for (std::uint64_t &cell : *matrix)
        cell = sessions.random()();
    for (std::size_t i = 0; i < kTableSize; ++i)
      bench->table.push_back(sessions.random()());
    std::exponential_distribution<double> gap(1);
    std::normal_distribution<double> step(0, 0.01);
    double load = std::log(std::sqrt(kLeastLoad * kMostLoad)), cost = 1e-4;
    for (auto due = Clock::now(); !stop.stop_requested();) {
      const auto began = Clock::now();
      bench->c[0] ^= handler(*bench, sessions.next(), sessions.random()(), 16);
      done_.fetch_add(1, std::memory_order_relaxed);
      if (!waits)
        continue;
      cost += 0.001 * (std::chrono::duration<double>(Clock::now() - began).count() - cost);
      load = std::clamp(load + step(sessions.random()), std::log(kLeastLoad), std::log(kMostLoad));
      const double mean_gap = kServers * cost / std::exp(load);
      due += std::chrono::duration_cast<Clock::duration>(
          std::chrono::duration<double>(mean_gap * gap(sessions.random())));
      std::this_thread::sleep_until(due);
    }
  }

  void turn_for_ever(std::size_t which, const std::stop_token &stop) {
    const auto handler = runtime_.handler<&turn>();
    std::mt19937_64 random(which + 1);
    std::exponential_distribution<double> sleep(1 / 3e-3);
    std::geometric_distribution<int> bursts(0.01);
    std::uint64_t wheel = 1;
    while (!stop.stop_requested()) {
      for (int left = 1 + bursts(random); left > 0; --left) {
        wheel = handler(wheel, 0, turns_.data());
        done_.fetch_add(1, std::memory_order_relaxed);
      }
      std::this_thread::sleep_for(std::chrono::duration<double>(sleep(random)));
    }
  }

  const std::vector<Configuration> configurations_;
  const std::array<std::uint32_t, kMostVariants> turns_{kTurns, kRivalTurns};
  Runtime runtime_;
  std::atomic<std::uint64_t> done_ = 0;
  std::vector<std::jthread> threads_;
};

} // namespace

int main(int count, char **values) {
  const std::string_view name = count == 4 ? values[1] : "";
  const double seconds = count == 4 ? std::strtod(values[3], nullptr) : 0;
  if ((name != "server" && name != "batch" && name != "turns") || !(seconds > 0)) {
    std::fprintf(stderr, "usage: record_watch server|batch|turns FILE SECONDS\n");
    return 2;
  }
  try {
    WatchedProgram program(name);
    record_watched({program.runtime(), program.throughput(), {}}, program.incumbent(),
                   program.rival(), seconds)
        .write(values[2]);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "record_watch: %s\n", error.what());
    return 1;
  }
  return 0;
}
