// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file A replica of a fleet, which bench_fleet starts: searches the 24 tile sizes of the
/// hydrodynamics study together with the others.
///
///     fleet_program record FILE
///     fleet_program SOCKET STUDY REPLICA SEED TRIALS FILE
///
/// The first form measures each loop of the simulation with each tile, round by round, and writes
/// the result to a file. The second form is a replica. It composes the cost of an iteration under a
/// configuration from the costs of its loops in rounds drawn at random, including noise, so that
/// four replicas on one machine do not slow one another down, as those of a fleet would not. It
/// waits for a line of input before it begins, and prints a line for each trial: the time on the
/// monotonic clock, in seconds; the measured speedup of an iteration over one with the default
/// tiles; and the same from the medians of all rounds, which are hidden from searches.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <sartor/fleet.hpp>
#include <sartor/sartor.hpp>

#include "stand.h"
#include "tiles.h"
#include "tuning.h"

namespace {

constexpr hydro::Index kCells = 256;
constexpr std::size_t kRecorded = 25; // rounds
constexpr std::size_t kRounds = 20; // of a trial: as many pairs of iterations as fit into its time
constexpr std::chrono::milliseconds kTrial{200};

using Rounds = std::array<double, kRecorded>;

double median(Rounds rounds) {
  std::ranges::nth_element(rounds, rounds.begin() + kRecorded / 2);
  return rounds[kRecorded / 2];
}

/// Ticks of each loop in one iteration. The tile 0 × 0 stands for the generic code.
using Costs = std::map<std::pair<int, int>, std::array<Rounds, hydro::kLoops>>;

void record(sartor::Runtime &runtime, const char *path) {
  hydro::prepare_all(runtime);
  hydro::Stand stand(runtime, kCells);
  std::map<std::pair<int, int>, sartor::Configuration> all{{{0, 0}, {}}};
  for (const int i : {HYDRO_TILES_I})
    for (const int j : {HYDRO_TILES_J})
      all[{i, j}] = hydro::same_tiles({i, j});
  Costs costs;
  for (std::size_t round = 0; round < kRecorded; ++round)
    for (const auto &[tile, configuration] : all) {
      stand.iteration(configuration);
      for (std::size_t loop = 0; loop < hydro::kLoops; ++loop)
        costs[tile][loop][round] = stand.loops()[loop];
    }
  std::ofstream file(path);
  for (const auto &[tile, loops] : costs) {
    file << tile.first << ' ' << tile.second;
    for (const Rounds &rounds : loops)
      for (const double ticks : rounds)
        file << ' ' << ticks;
    file << '\n';
  }
  if (!file.flush())
    throw std::runtime_error(std::string("cannot write ") + path);
}

Costs read(const char *path) {
  Costs costs;
  std::ifstream file(path);
  for (std::pair<int, int> tile; file >> tile.first >> tile.second;)
    for (Rounds &rounds : costs[tile])
      for (double &ticks : rounds)
        file >> ticks;
  if (costs.size() != 50)
    throw std::runtime_error(std::string(path) + " is no recording");
  return costs;
}

/// Returns the tile of a loop under a configuration; a generic size is the default one.
std::pair<int, int> tile_of(const sartor::Configuration &configuration, std::size_t loop) {
  const std::string number = std::to_string(loop + 1);
  const auto size = [&](const std::string &label, hydro::Index otherwise) {
    const sartor::Setting *setting = configuration.find(label + number);
    return setting ? static_cast<int>(setting->values.front().integer())
                   : static_cast<int>(otherwise);
  };
  const auto part = hydro::of_loop(configuration, loop);
  return part.empty()
             ? std::pair(0, 0)
             : std::pair(size("Ti", hydro::kDefaultTile.i), size("Tj", hydro::kDefaultTile.j));
}

class Replica {
public:
  Replica(Costs costs, std::size_t seed) : costs_(std::move(costs)), random_(seed) {}

  /// Returns the default tiles' cost over this configuration's, as a trial measures it.
  double measure(const sartor::Configuration &configuration) {
    std::this_thread::sleep_for(kTrial);
    std::uniform_int_distribution<std::size_t> any(0, kRecorded - 1);
    double before = 0;
    double after = 0;
    for (std::size_t round = 0; round < kRounds; ++round) {
      const std::size_t one = any(random_), other = any(random_);
      before += iteration({}, [&](const Rounds &rounds) { return rounds[one]; });
      after += iteration(configuration, [&](const Rounds &rounds) { return rounds[other]; });
    }
    return before / after;
  }
  /// Returns the true ratio.
  [[nodiscard]] double truth(const sartor::Configuration &configuration) const {
    return iteration({}, median) / iteration(configuration, median);
  }

private:
  template <class Pick>
  [[nodiscard]] double iteration(const sartor::Configuration &configuration, Pick pick) const {
    double ticks = 0;
    for (std::size_t loop = 0; loop < hydro::kLoops; ++loop)
      ticks += pick(costs_.at(tile_of(configuration, loop))[loop]);
    return ticks;
  }

  const Costs costs_;
  std::mt19937_64 random_;
};

void search(sartor::Runtime &runtime, char **arguments) {
  sartor::FleetOptions options;
  options.socket = arguments[1];
  options.study = arguments[2];
  options.replica = arguments[3];
  options.seed = std::stoull(arguments[4]);
  options.most_trials = std::stoull(arguments[5]);
  Replica replica(read(arguments[6]), options.seed * 100 + std::stoull(options.replica));
  const sartor::SearchSpace space = hydro::tile_space(runtime);
  std::puts("ready");
  std::fflush(stdout);
  std::getchar();

  const auto strategy = sartor::fleet_search(runtime, space, options);
  while (const auto configuration = strategy->ask()) {
    const double score = replica.measure(*configuration);
    strategy->tell({.configuration = *configuration, .score = score});
    const std::chrono::duration<double> now = std::chrono::steady_clock::now().time_since_epoch();
    std::printf("%.6f %.6f %.6f\n", now.count(), score, replica.truth(*configuration));
    std::fflush(stdout);
  }
}

} // namespace

int main(int count, char **values) {
  if (count != 7 && !(count == 3 && std::string_view(values[1]) == "record"))
    return 2;
  try {
    sartor::Options how;
    how.code_cache_bytes = 256U << 20;
    sartor::Runtime runtime(how);
    if (count == 3)
      record(runtime, values[2]);
    else
      search(runtime, values);
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "fleet_program: %s\n", error.what());
    return 1;
  }
}
