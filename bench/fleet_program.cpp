// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A replica of a fleet, which bench_fleet starts: a paced hydrodynamics simulation on a small
/// grid, whose 24 tile sizes it searches together with the others.
///
///     fleet_program SOCKET STUDY REPLICA SEED TRIALS
///     fleet_program prepare
///
/// Waits for a line of input before it begins. Prints a line for each trial: the time on the
/// monotonic clock, in seconds, and how many times less CPU an iteration took than one with the
/// tiles that the program came with. The other form compiles all variants, into $SARTOR_CACHE_DIR.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include <sartor/fleet.hpp>
#include <sartor/sartor.hpp>

#include "replica.h"
#include "tuning.h"

namespace {

// 0.4 s a trial. Four replicas need a fraction of a core at that rate.
constexpr std::chrono::milliseconds kPeriod{40};
constexpr hydro::Index kCells = 64;
constexpr int kRounds = 5;
constexpr std::uint64_t kIterations = 1; // with the candidate, and as many without, in each round

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int run(char **arguments) {
  sartor::Options how;
  how.code_cache_bytes = 256U << 20;
  sartor::Runtime runtime(how);
  if (std::string_view(arguments[1]) == "prepare") {
    hydro::prepare_all(runtime);
    return 0;
  }
  hydro::Replica replica(hydro::entries(runtime), {kCells, kPeriod});
  const sartor::SearchSpace space = hydro::tile_space(runtime);
  replica.run(10);
  std::puts("ready");
  std::fflush(stdout);
  std::getchar();

  sartor::FleetOptions options;
  options.socket = arguments[1];
  options.study = arguments[2];
  options.replica = arguments[3];
  options.seed = std::stoull(arguments[4]);
  options.most_trials = std::stoull(arguments[5]);
  const auto strategy = sartor::fleet_search(runtime, space, options);
  while (const auto configuration = strategy->ask()) {
    double with = 0;
    double without = 0;
    runtime.prepare(*configuration).get();
    for (int round = 0; round < kRounds; ++round) {
      runtime.specialize({});
      without += replica.run(kIterations);
      runtime.specialize(*configuration);
      with += replica.run(kIterations);
    }
    strategy->tell({.configuration = *configuration, .score = without / with});
    std::printf("%.6f %.6f\n", seconds_now(), without / with);
    std::fflush(stdout);
  }
  return 0;
}

} // namespace

int main(int count, char **arguments) {
  if (count != 6 && count != 2)
    return 2;
  try {
    return run(arguments);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "fleet_program: %s\n", error.what());
    return 1;
  }
}
