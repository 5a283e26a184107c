// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How long a fleet of 4 replicas takes to a result as good as one replica's, in the space of the
/// hydrodynamics study (24 points, seven values each). Replicas are processes (fleet_program),
/// paced so that all fit on the machine; they share one study through a sidecar and Optuna's
/// journal on a Redis of our own. A search of one and a search of four alternate, with seeds of
/// their own.
///
/// "As good": the median of what the searches of one have found after kTrials trials. A search's
/// time is from its begin, when all replicas stand ready, until the first trial at least that good;
/// one that has found none after twice the trials counts as if it just then had. All variants are
/// compiled beforehand, so that not compiling is compared.

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

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

namespace sartor::bench {

const char *const bench_name = "fleet";

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSearches = 7; ///< Of one replica, and of four.
constexpr std::size_t kTrials = 30;
constexpr std::size_t kMostTrials = 2 * kTrials;

/// A process with our ends of its input and output. Ended with this.
class Process {
public:
  explicit Process(std::vector<std::string> words) {
    std::array<int, 2> input{};
    std::array<int, 2> output{};
    if (pipe2(input.data(), O_CLOEXEC) != 0 || pipe2(output.data(), O_CLOEXEC) != 0)
      throw std::runtime_error("no pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
    std::vector<char *> arguments;
    for (std::string &word : words)
      arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const int error =
        posix_spawn(&process_, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(input[0]);
    close(output[1]);
    input_ = input[1];
    output_ = fdopen(output[0], "r");
    if (error != 0 || !output_)
      throw std::runtime_error("cannot start " + words[0]);
  }
  Process(Process &&other) noexcept
      : process_(std::exchange(other.process_, 0)), input_(std::exchange(other.input_, -1)),
        output_(std::exchange(other.output_, nullptr)) {}
  Process &operator=(Process &&) = delete;
  ~Process() {
    if (process_ > 0)
      kill(process_, SIGTERM);
    wait();
    if (input_ >= 0)
      close(input_);
    if (output_)
      fclose(output_);
  }

  void go() const {
    if (write(input_, "\n", 1) != 1)
      throw std::runtime_error("a replica is gone");
  }
  /// Empty at the end.
  [[nodiscard]] std::string line() const {
    std::array<char, 512> text{};
    return std::fgets(text.data(), text.size(), output_) ? text.data() : "";
  }
  /// Whether it has ended well.
  bool wait() {
    int status = 1;
    if (process_ > 0)
      waitpid(std::exchange(process_, 0), &status, 0);
    return status == 0;
  }

private:
  pid_t process_ = 0;
  int input_ = -1;
  FILE *output_ = nullptr;
};

struct Trial {
  double seconds; ///< Since the search began.
  double score;
};

double seconds_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// One search: its trials in the order in which they ended.
std::vector<Trial> search(const std::string &program, const std::string &socket,
                          std::size_t replicas, std::size_t seed) {
  const std::string study = std::to_string(replicas) + "_" + std::to_string(seed);
  std::vector<Process> all;
  for (std::size_t i = 0; i < replicas; ++i)
    all.emplace_back(std::vector<std::string>{program, socket, study, std::to_string(i),
                                              std::to_string(seed), std::to_string(kMostTrials)});
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
      std::istringstream(line) >> trial.seconds >> trial.score;
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

double best_after(const std::vector<Trial> &trials, std::size_t count) {
  double best = 0;
  for (std::size_t i = 0; i < count; ++i)
    best = std::max(best, trials[i].score);
  return best;
}

double seconds_to(const std::vector<Trial> &trials, double target) {
  const auto found =
      std::ranges::find_if(trials, [&](const Trial &trial) { return trial.score >= target; });
  return found == trials.end() ? trials.back().seconds : found->seconds;
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

void run(const std::vector<std::string> &words) {
  if (!Process(words).wait())
    throw std::runtime_error("failed: " + words[0]);
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
  setenv("SARTOR_CACHE_DIR", (place.directory + "/code").c_str(), 0); // or where it is already
  const Process sidecar({SARTOR_SIDECAR_SCRIPT, "--storage", place.address, "--socket", socket});
  run({program, "prepare"});
  for (int i = 0; !answers(socket); ++i) {
    if (i == 1200)
      throw std::runtime_error("no sidecar");
    usleep(50'000);
  }

  std::vector<std::vector<Trial>> ones;
  std::vector<std::vector<Trial>> fours;
  for (std::size_t seed = 1; seed <= kSearches; ++seed) {
    ones.push_back(search(program, socket, 1, seed));
    fours.push_back(search(program, socket, 4, seed));
  }

  Samples found;
  for (const auto &one : ones)
    found.push_back(best_after(one, kTrials));
  const double target = middle(found);
  Samples one_seconds;
  Samples four_seconds;
  Samples four_found;
  for (std::size_t i = 0; i < kSearches; ++i) {
    one_seconds.push_back(seconds_to(ones[i], target));
    four_seconds.push_back(seconds_to(fours[i], target));
    four_found.push_back(best_after(fours[i], kTrials));
  }
  return {
      {"wall_4_over_1", "ratio", ratio_of_medians(four_seconds, one_seconds), at_most(0.35)},
      {"seconds_of_1", "s", median(one_seconds)},
      {"seconds_of_4", "s", median(four_seconds)},
      {"found_by_1", "ratio", median(found)},
      {"found_by_4", "ratio", median(four_found)},
  };
}

} // namespace sartor::bench
