// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures the time that Sartor adds to the start of a program. Programs have the same
/// source (start_program.cpp): without Sartor; with Sartor, but never specialized; with a variant
/// on disk; with an empty disk cache, which compiles; with a variant in its own file; and with a
/// runtime that is opened lazily, of which nothing is wanted. Each time
/// is that of a separate process, from before it is started until its main() has reached the
/// measured point; runs of a round follow immediately after one another, in random order.

#include <array>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

namespace sartor::bench {

const char *const bench_name = "start";

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRounds = 60;

/// The measurements that a program prints.
struct Start {
  double begun = 0;    ///< Milliseconds from the start until main() began, with libraries loaded.
  double opened = 0;   ///< The runtime was open.
  double active = 0;   ///< The full variant was active, or the program was ready.
  double resident = 0; ///< Resident bytes at that time.
  int origin = 0;      ///< Origin of the code: 1 compiled, 3 disk, 5 ahead of time.
};

Start start(const fs::path &program, const fs::path &directory) {
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
  Start reported;
  if (!(fields >> reported.begun >> reported.opened >> reported.active >> reported.resident >>
        reported.origin))
    throw std::runtime_error("did not say when: " + name);
  return reported;
}

void expect_origin(const Start &reported, int origin) {
  if (reported.origin != origin)
    throw std::runtime_error("code came from elsewhere");
}

} // namespace

std::vector<Figure> measure() {
  const auto programs = fs::read_symlink("/proc/self/exe").parent_path();
  const auto directory =
      fs::temp_directory_path() / ("sartor-bench-start-" + std::to_string(getpid()));
  const fs::path cold_directory = directory / "cold";
  const fs::path warm_directory = directory / "warm";
  fs::remove_all(directory);
  start(programs / "start_program", warm_directory);

  std::vector<Start> plain;
  std::vector<Start> linked;
  std::vector<Start> disk;
  std::vector<Start> cold;
  std::vector<Start> ahead_of_time;
  std::vector<Start> idle;
  std::vector<std::function<void()>> runs{
      [&] { plain.push_back(start(programs / "start_plain", warm_directory)); },
      [&] { linked.push_back(start(programs / "start_linked", warm_directory)); },
      [&] { idle.push_back(start(programs / "start_idle", "")); },
      [&] {
        disk.push_back(start(programs / "start_program", warm_directory));
        expect_origin(disk.back(), 3);
      },
      [&] {
        ahead_of_time.push_back(start(programs / "start_ahead_of_time", ""));
        expect_origin(ahead_of_time.back(), 5);
      },
      [&] {
        fs::remove_all(cold_directory);
        cold.push_back(start(programs / "start_program", cold_directory));
        expect_origin(cold.back(), 1);
      }};
  std::mt19937_64 random(5); // NOLINT(*-random-generator-seed): runs can be repeated
  for (std::size_t round = 0; round < kRounds; ++round) {
    std::shuffle(runs.begin(), runs.end(), random);
    for (const auto &run : runs)
      run();
  }
  fs::remove_all(directory);

  const auto all = [](const std::vector<Start> &starts, double Start::*what) {
    Samples samples;
    for (const Start &one : starts)
      samples.push_back(one.*what);
    return samples;
  };
  const Samples plain_ms = all(plain, &Start::active);
  const Samples disk_ms = all(disk, &Start::active);
  const Samples ahead_of_time_ms = all(ahead_of_time, &Start::active);
  const Samples cold_ms = all(cold, &Start::active);
  return {
      {"linked_added_ms", "ms", difference(all(linked, &Start::active), plain_ms, 1), at_most(0.5)},
      {"linked_added_bytes", "bytes",
       difference(all(linked, &Start::resident), all(plain, &Start::resident), 1),
       at_most(1 << 20)},
      {"idle_added_ms", "ms", difference(all(idle, &Start::active), plain_ms, 1), at_most(0.5)},
      {"idle_resident_bytes", "bytes",
       difference(all(idle, &Start::resident), all(plain, &Start::resident), 1), at_most(2 << 20)},
      {"disk_added_ms", "ms", difference(disk_ms, plain_ms, 1), at_most(3)},
      {"beforehand_added_ms", "ms", difference(ahead_of_time_ms, plain_ms, 1), at_most(1)},
      {"cold_over_disk", "ratio", ratio(cold_ms, disk_ms), at_least(50)},
      {"plain_ms", "ms", median(plain_ms)},
      {"disk_ms", "ms", median(disk_ms)},
      {"disk_until_main_ms", "ms", median(all(disk, &Start::begun))},
      {"disk_until_open_ms", "ms", median(all(disk, &Start::opened))},
      {"cold_ms", "ms", median(cold_ms)},
  };
}

} // namespace sartor::bench
