// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures how long a fleet of 4 replicas takes to reach a result as good as one replica's,
/// in the space of the hydrodynamics study (24 points, seven values each). Replicas are processes
/// (fleet_program) that share one study through a sidecar and Optuna's journal on a private Redis.
/// The costs of the simulation's loops with each tile were recorded (bench/noise/README_tiles.md),
/// and a trial's result is drawn from the recording: four simulations on one machine would disturb
/// one another and find spurious differences. Searches by one and by four replicas alternate, with
/// their own seeds.
///
/// The result of a search is the configuration with the best score so far; its true quality is
/// given by the medians of the recording. "As good" means the result of searches by one replica
/// after a number of trials, for each number from kFewest to kTrials: a search improves in steps,
/// and the time to reach one single level is mostly luck. Time runs from the start of a search,
/// when all replicas are ready; the figure is the geometric mean of the ratios. The means over
/// searches at each time are compared.

#include <algorithm>
#include <array>
#include <cmath>
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
#include "paths.h"
#include "process.h"

namespace sartor::bench {

const char *const bench_name = "fleet";

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSearches = 24; ///< By one replica, and by four.
constexpr std::size_t kFewest = 20;   ///< TPE draws half of these at random.
constexpr std::size_t kTrials = 100;
constexpr std::size_t kMostTrials = 200; ///< For four, which know less of others' trials.

struct Trial {
  double seconds; ///< Since the search began.
  double score;   ///< Measured score.
  double truth;   ///< True quality.
};

double seconds_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Runs one search; returns its trials in the order in which they ended.
std::vector<Trial> search(const std::string &program, const std::string &directory,
                          std::size_t replicas, std::size_t seed) {
  const std::string recording = paths::bench_noise() + "/tiles.costs";
  const std::string study = std::to_string(replicas) + "_" + std::to_string(seed);
  std::vector<Process> all;
  for (std::size_t i = 0; i < replicas; ++i)
    all.emplace_back(std::vector<std::string>{
        program, directory + "/sidecar", study, std::to_string(i), std::to_string(seed),
        std::to_string(replicas == 1 ? kTrials : kMostTrials), recording});
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

/// The result of a search after each trial.
struct Found {
  std::vector<double> seconds;
  std::vector<double> truth;

  explicit Found(const std::vector<Trial> &trials) {
    const Trial *best = nullptr;
    for (const Trial &trial : trials) {
      if (!best || trial.score > best->score)
        best = &trial;
      seconds.push_back(trial.seconds);
      truth.push_back(best->truth);
    }
  }
  [[nodiscard]] double at(double time) const {
    const auto later = std::ranges::upper_bound(seconds, time);
    return later == seconds.begin() ? 0
                                    : truth[static_cast<std::size_t>(later - seconds.begin()) - 1];
  }
};
using Searches = std::vector<const Found *>;

/// Returns the mean result of searches after a number of trials.
double found_after(const Searches &searches, std::size_t trials) {
  std::vector<double> truths;
  for (const Found *search : searches)
    truths.push_back(search->truth[trials - 1]);
  return mean(truths);
}

/// The mean result of searches over time.
struct Curve {
  std::vector<double> seconds;
  std::vector<double> truth;

  explicit Curve(const Searches &searches) {
    for (const Found *search : searches)
      seconds.insert(seconds.end(), search->seconds.begin(), search->seconds.end());
    std::ranges::sort(seconds);
    for (const double time : seconds) {
      std::vector<double> truths;
      for (const Found *search : searches)
        truths.push_back(search->at(time));
      truth.push_back(mean(truths));
    }
  }
  /// Returns the time to reach `target`; the end if it is not reached.
  [[nodiscard]] double seconds_to(double target) const {
    const auto first = std::ranges::find_if(truth, [&](double found) { return found >= target; });
    return first == truth.end() ? seconds.back()
                                : seconds[static_cast<std::size_t>(first - truth.begin())];
  }
};

struct Times {
  double ratio; ///< Ratio of four replicas to one, over all targets.
  double of_one;
  double of_four;
};
Times compare(const Searches &ones, const Searches &fours) {
  const Curve one(ones);
  const Curve four(fours);
  double sum = 0;
  for (std::size_t trials = kFewest; trials <= kTrials; ++trials) {
    const double target = found_after(ones, trials);
    sum += std::log(four.seconds_to(target) / one.seconds_to(target));
  }
  const double last = found_after(ones, kTrials);
  return {std::exp(sum / static_cast<double>(kTrials - kFewest + 1)), one.seconds_to(last),
          four.seconds_to(last)};
}

/// Computes the figures with bootstrap intervals over searches.
std::vector<Figure> figures(const Searches &ones, const Searches &fours) {
  constexpr std::size_t draws = 400;
  std::mt19937_64 random(1); // NOLINT(*-random-generator-seed): runs can be repeated
  const auto again = [&](const Searches &searches) {
    Searches drawn(searches.size());
    std::uniform_int_distribution<std::size_t> any(0, searches.size() - 1);
    for (const Found *&search : drawn)
      search = searches[any(random)];
    return drawn;
  };
  std::array<std::vector<double>, 5> drawn;
  const auto all = [](const Searches &some, const Searches &others) {
    const Times times = compare(some, others);
    return std::array{times.ratio, times.of_one, times.of_four, found_after(some, kTrials),
                      found_after(others, kTrials)};
  };
  for (std::size_t i = 0; i < draws; ++i) {
    const auto values = all(again(ones), again(fours));
    for (std::size_t k = 0; k < values.size(); ++k)
      drawn[k].push_back(values[k]);
  }
  const auto values = all(ones, fours);
  const auto interval = [&](std::size_t k) {
    std::ranges::sort(drawn[k]);
    return Interval{values[k], drawn[k][draws / 40], drawn[k][draws - 1 - draws / 40]};
  };
  return {
      {"wall_4_over_1", "ratio", interval(0), at_most(0.35)},
      {"seconds_of_1", "s", interval(1)},
      {"seconds_of_4", "s", interval(2)},
      {"found_by_1", "ratio", interval(3)},
      {"found_by_4", "ratio", interval(4)},
  };
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

/// A private store and a directory, which are removed with this object.
struct Place {
  std::string directory = "/tmp/sartor-bench-fleet-XXXXXX";
  std::string address;

  Place() {
    if (!mkdtemp(directory.data()))
      throw std::runtime_error("no directory");
    const Process store(
        {paths::stores_script(), "start", "redis", directory, std::to_string(getpid())});
    address = store.line();
    if (address.empty())
      throw std::runtime_error("no Redis");
    address.pop_back();
  }
  ~Place() {
    Process({paths::stores_script(), "stop", directory}).wait();
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
  const Process sidecar({paths::sidecar_script(), "--storage", place.address, "--socket", socket});
  for (int i = 0; !answers(socket); ++i) {
    if (i == 1200)
      throw std::runtime_error("no sidecar");
    usleep(50'000);
  }

  std::vector<Found> ones;
  std::vector<Found> fours;
  for (std::size_t seed = 1; seed <= kSearches; ++seed) {
    ones.emplace_back(search(program, place.directory, 1, seed));
    fours.emplace_back(search(program, place.directory, 4, seed));
  }
  const auto pointers = [](const std::vector<Found> &searches) {
    Searches all;
    for (const Found &search : searches)
      all.push_back(&search);
    return all;
  };
  return figures(pointers(ones), pointers(fours));
}

} // namespace sartor::bench
