// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How long a program takes from its start until its fully optimised variant is in force: with an
/// empty directory for code (cold), and with the code found there (disk). Each time is that of a
/// process of its own, started here; the cold and the warm one of a round come right after one
/// another, in random order.

#include <array>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

namespace sartor::bench {

const char *const bench_name = "cache";

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRounds = 40;

/// Milliseconds since a process was started.
struct Times {
  double main = 0;     ///< main() began: libraries loaded.
  double open = 0;     ///< The runtime was there.
  double in_force = 0; ///< The full variant was.
};

/// Runs cache_program once. `origin` is where its code must come from: 1 compiled, 3 disk.
Times start(const fs::path &program, const fs::path &directory, int origin) {
  setenv("SARTOR_CACHE_DIR", directory.c_str(), 1);
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0)
    throw std::runtime_error("no pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  std::string name = program.string();
  std::string started = std::to_string(now.tv_sec * 1'000'000'000LL + now.tv_nsec);
  const std::array<char *, 3> arguments{name.data(), started.data(), nullptr};
  pid_t process = 0;
  const int error =
      posix_spawn(&process, name.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::array<char, 256> line{};
  const bool has_read = error == 0 && read(ends[0], line.data(), line.size() - 1) > 0;
  close(ends[0]);
  int status = 1;
  if (error != 0 || waitpid(process, &status, 0) < 0 || status != 0 || !has_read)
    throw std::runtime_error("failed: " + name);
  std::istringstream fields(line.data());
  Times times;
  int sample = 0;
  int found = 0;
  if (!(fields >> times.main >> times.open >> times.in_force >> sample >> found) || found != origin)
    throw std::runtime_error("its code came from elsewhere: " + name);
  return times;
}

} // namespace

std::vector<Figure> measure() {
  const auto program = fs::read_symlink("/proc/self/exe").parent_path() / "cache_program";
  const auto directory =
      fs::temp_directory_path() / ("sartor-bench-cache-" + std::to_string(getpid()));
  const fs::path cold_directory = directory / "cold";
  const fs::path warm_directory = directory / "warm";
  fs::remove_all(directory);
  start(program, warm_directory, 1);

  Samples cold;
  Samples disk;
  Samples main_begun;
  Samples opened;
  Samples specialized;
  std::mt19937_64 random(5); // NOLINT(*-random-generator-seed): runs can be repeated
  for (std::size_t round = 0; round < kRounds; ++round) {
    const auto run_cold = [&] {
      fs::remove_all(cold_directory);
      cold.push_back(start(program, cold_directory, 1).in_force);
    };
    const bool cold_first = random() % 2 == 0;
    if (cold_first)
      run_cold();
    const Times times = start(program, warm_directory, 3);
    disk.push_back(times.in_force);
    main_begun.push_back(times.main);
    opened.push_back(times.open - times.main);
    specialized.push_back(times.in_force - times.open);
    if (!cold_first)
      run_cold();
  }
  fs::remove_all(directory);

  return {
      {"cold_over_disk", "ratio", ratio(cold, disk), at_least(10)},
      {"cold_ms", "ms", median(cold)},
      {"disk_ms", "ms", median(disk)},
      {"disk_until_main_ms", "ms", median(main_begun)},
      {"disk_open_runtime_ms", "ms", median(opened)},
      {"disk_specialize_ms", "ms", median(specialized)},
  };
}

} // namespace sartor::bench
