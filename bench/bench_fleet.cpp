// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How long a fleet of 4 replicas takes to a result as good as one replica's, in the space of the
/// hydrodynamics study (24 points, seven values each). Replicas are processes (fleet_program) that
/// share one study through a sidecar and Optuna's journal on a Redis of our own. What the loops of
/// the simulation cost with each tile was recorded (bench/noise/README_tiles.md), and a trial's
/// result is drawn from that: four simulations on one machine would disturb each other, and find in
/// each other's noise what is not there. A search of one and a search of four alternate, with seeds
/// of their own.
///
/// What a search has found is the configuration with the best score so far; how good that is, the
/// medians of all that was recorded say. "As good": as the median of what the searches of one have
/// found after kTrials trials. A search's time is from its begin, when all replicas stand ready,
/// until what it has found is that good; one that never comes to that counts as if it had at its
/// end, after twice the trials.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "harness.h"
#include "process.h"

namespace sartor::bench {

const char *const bench_name = "fleet";

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSearches = 7; ///< Of one replica, and of four.
constexpr std::size_t kTrials = 30;
constexpr std::size_t kMostTrials = 2 * kTrials;

struct Trial {
  double seconds; ///< Since the search began.
  double score;   ///< As measured.
  double truth;   ///< How good it is.
};

double seconds_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// One search: its trials in the order in which they ended.
std::vector<Trial> search(const std::string &program, const std::string &directory,
                          std::size_t replicas, std::size_t seed) {
  const std::string study = std::to_string(replicas) + "_" + std::to_string(seed);
  std::vector<Process> all;
  for (std::size_t i = 0; i < replicas; ++i)
    all.emplace_back(std::vector<std::string>{
        program, directory + "/sidecar", study, std::to_string(i), std::to_string(seed),
        std::to_string(kMostTrials), SARTOR_BENCH_NOISE "/tiles.costs"});
  for (const Process &replica : all)
    if (replica.line() != "ready\n")
      throw std::runtime_error("a replica does not start");
  const double begin = seconds_now();
  for (const Process &replica : all)
    replica.go();
  std::vector<Trial> trials;
  for (Process &replica : all) {
    for (std::string line; !(line = replica.line()).empty();) {
      Trial trial{};
      std::istringstream(line) >> trial.seconds >> trial.score >> trial.truth;
      trial.seconds -= begin;
      trials.push_back(trial);
    }
    if (!replica.wait())
      throw std::runtime_error("a replica has failed");
  }
  std::ranges::sort(trials, {}, &Trial::seconds);
  if (trials.size() < kTrials)
    throw std::runtime_error("a search has ended early");
  return trials;
}

/// How good what has been found is, after each trial.
std::vector<double> found_by(const std::vector<Trial> &trials) {
  std::vector<double> found;
  const Trial *best = nullptr;
  for (const Trial &trial : trials) {
    if (!best || trial.score > best->score)
      best = &trial;
    found.push_back(best->truth);
  }
  return found;
}

double seconds_to(const std::vector<Trial> &trials, double target) {
  const std::vector<double> found = found_by(trials);
  const auto first = std::ranges::find_if(found, [&](double truth) { return truth >= target; });
  return first == found.end() ? trials.back().seconds
                              : trials[static_cast<std::size_t>(first - found.begin())].seconds;
}

double middle(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

/// The ratio of the medians, with a bootstrap interval: searches of one and of four are not paired.
Interval ratio_of_medians(const Samples &over, const Samples &under) {
  std::mt19937_64 random(1); // NOLINT(*-random-generator-seed): runs can be repeated
  const auto again = [&](const Samples &samples) {
    Samples drawn(samples.size());
    std::uniform_int_distribution<std::size_t> any(0, samples.size() - 1);
    for (double &value : drawn)
      value = samples[any(random)];
    return middle(drawn);
  };
  std::vector<double> ratios(4000);
  for (double &value : ratios)
    value = again(over) / again(under);
  std::ranges::sort(ratios);
  return {middle(over) / middle(under), ratios[ratios.size() / 40],
          ratios[ratios.size() - 1 - ratios.size() / 40]};
}

bool answers(const std::string &path) {
  const int handle = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const bool connected =
      connect(handle, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0;
  close(handle);
  return connected;
}

/// A store and a directory of our own, which go with this.
struct Place {
  std::string directory = "/tmp/sartor-bench-fleet-XXXXXX";
  std::string address;

  Place() {
    if (!mkdtemp(directory.data()))
      throw std::runtime_error("no directory");
    const Process store(
        {SARTOR_STORES_SCRIPT, "start", "redis", directory, std::to_string(getpid())});
    address = store.line();
    if (address.empty())
      throw std::runtime_error("no Redis");
    address.pop_back();
  }
  ~Place() {
    Process({SARTOR_STORES_SCRIPT, "stop", directory}).wait();
    fs::remove_all(directory);
  }
  Place(const Place &) = delete;
  Place &operator=(const Place &) = delete;
};

} // namespace

std::vector<Figure> measure() {
  const std::string program =
      (fs::read_symlink("/proc/self/exe").parent_path() / "fleet_program").string();
  const Place place;
  const std::string socket = place.directory + "/sidecar";
  const Process sidecar({SARTOR_SIDECAR_SCRIPT, "--storage", place.address, "--socket", socket});
  for (int i = 0; !answers(socket); ++i) {
    if (i == 1200)
      throw std::runtime_error("no sidecar");
    usleep(50'000);
  }

  constexpr std::array<std::size_t, 2> sizes{1, 4};
  std::array<std::vector<std::vector<Trial>>, 2> searches; // of one replica, of four
  std::array<Samples, 2> found;
  for (std::size_t seed = 1; seed <= kSearches; ++seed)
    for (const std::size_t i : {0, 1}) {
      searches[i].push_back(search(program, place.directory, sizes[i], seed));
      found[i].push_back(found_by(searches[i].back())[kTrials - 1]);
    }
  const double target = middle(found[0]);
  std::array<Samples, 2> seconds;
  for (const std::size_t i : {0, 1})
    for (const auto &one : searches[i])
      seconds[i].push_back(seconds_to(one, target));
  return {
      {"wall_4_over_1", "ratio", ratio_of_medians(seconds[1], seconds[0]), at_most(0.35)},
      {"seconds_of_1", "s", median(seconds[0])},
      {"seconds_of_4", "s", median(seconds[1])},
      {"found_by_1", "ratio", median(found[0])},
      {"found_by_4", "ratio", median(found[1])},
  };
}

} // namespace sartor::bench
