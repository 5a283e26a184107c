// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ld.h"
#include "paths.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <future>
#include <iterator>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sartor::bench {

namespace fs = std::filesystem;

namespace {

double milliseconds_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (1e3 * static_cast<double>(now.tv_sec)) + (1e-6 * static_cast<double>(now.tv_nsec));
}

double milliseconds(const timeval &time) {
  return (1e3 * static_cast<double>(time.tv_sec)) + (1e-3 * static_cast<double>(time.tv_usec));
}

std::string joined(const Words &words) {
  std::string all;
  for (const std::string &word : words)
    all += (all.empty() ? "" : " ") + word;
  return all;
}

} // namespace

Words Way::command(const Words &program) const {
  if (!passes)
    return program;
  static const std::string loader = beside_this("sartor-ld");
  Words all{loader, "--strict", "--passes=" + *passes, "--"}; // measures planned starts only
  all.insert(all.end(), program.begin(), program.end());
  return all;
}

Place::Place() {
  std::string name = "/tmp/sartor-bench-XXXXXX";
  if (!mkdtemp(name.data()))
    throw std::runtime_error("no directory in /tmp");
  path_ = name;
  setenv("XDG_CACHE_HOME", file("cache").c_str(), 1);
}

Place::~Place() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void Place::write(const std::string &name, const std::string &text) const {
  std::ofstream out(file(name), std::ios::binary);
  out << text;
  if (!out.flush())
    throw std::runtime_error("cannot write " + file(name));
}

void Place::forget_plans() const { fs::remove_all(file("cache")); }

OnOneProcessor::OnOneProcessor() {
  if (sched_getaffinity(0, sizeof before_, &before_) != 0)
    throw std::runtime_error("no processor is known");
  int last = CPU_SETSIZE - 1; // the first ones handle the interrupts
  while (last > 0 && !CPU_ISSET(last, &before_))
    --last;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(last, &one);
  sched_setaffinity(0, sizeof one, &one);
}

OnOneProcessor::~OnOneProcessor() { sched_setaffinity(0, sizeof before_, &before_); }

pid_t start(const Words &command, const Streams &streams) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const std::string nowhere = "/dev/null";
  const std::string &input = streams.input.empty() ? nowhere : streams.input;
  const std::string &output = streams.output.empty() ? nowhere : streams.output;
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (streams.output.empty()) // some programs print their version there
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, nowhere.c_str(), O_WRONLY, 0);
  Words words = command;
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t process = 0;
  const int error =
      posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw std::runtime_error("cannot start " + command[0]);
  return process;
}

Spent wait_for(pid_t process) {
  rusage used{};
  Spent spent;
  while (wait4(process, &spent.status, 0, &used) < 0) {
    if (errno != EINTR)
      throw std::runtime_error("a process is lost");
  }
  spent.cpu = milliseconds(used.ru_utime) + milliseconds(used.ru_stime);
  return spent;
}

Spent run(const Words &command, const Streams &streams) {
  const double begin = milliseconds_now();
  Spent spent = wait_for(start(command, streams));
  spent.wall = milliseconds_now() - begin;
  if (spent.status != 0)
    throw std::runtime_error("has failed: " + joined(command));
  return spent;
}

std::string output_of(const Place &place, const Words &command) {
  const std::string name = place.file("output");
  run(command, {.output = name});
  std::ifstream in(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool is_there(const std::string &program) {
  std::istringstream path(program.contains('/') ? "" : std::getenv("PATH"));
  if (program.contains('/'))
    return access(program.c_str(), X_OK) == 0;
  for (std::string directory; std::getline(path, directory, ':');) {
    if (access((fs::path(directory) / program).c_str(), X_OK) == 0)
      return true;
  }
  return false;
}

std::string beside_this(const std::string &name) {
  return fs::read_symlink("/proc/self/exe").parent_path() / name;
}

fs::path source_of(const std::string &package) {
  fs::path directory = paths::sources();
  run({paths::source_script(), package, directory}, {.output = "/dev/null"}); // errors are shown
  return directory / package;
}

Words make_of_lua(const fs::path &directory, const std::string &compiler) {
  for (const char *const program : {"make", "clang-22"})
    if (!is_there(program))
      throw std::runtime_error(std::string(program) + " is not there");
  fs::copy(source_of("lua5.4") / "src", directory, fs::copy_options::recursive);
  return {"make",
          "-C",
          directory,
          "CC=" + compiler,
          "SYSCFLAGS=-DLUA_USE_LINUX",
          "SYSLIBS=-Wl,-E -ldl"};
}

std::size_t rounds(std::size_t usual) {
  const char *const reported = std::getenv("BENCH_ROUNDS");
  return reported ? std::max<std::size_t>(1, std::strtoul(reported, nullptr, 10)) : usual;
}

std::vector<Samples> interleave_samples(const std::vector<std::function<double()>> &alternatives,
                                        std::size_t rounds) {
  std::mt19937_64 random(3); // NOLINT(*-random-generator-seed): runs can be repeated
  std::vector<std::size_t> order(alternatives.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<Samples> samples(alternatives.size());
  for (std::size_t round = 0; round <= rounds; ++round) {
    std::ranges::shuffle(order, random);
    for (const std::size_t i : order) {
      const double sample = alternatives[i]();
      if (round > 0)
        samples[i].push_back(sample);
    }
  }
  return samples;
}

std::vector<Samples> simultaneous_samples(const std::vector<std::function<double()>> &alternatives,
                                          std::size_t rounds, std::mt19937_64 &random) {
  std::vector<std::size_t> order(alternatives.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<Samples> samples(alternatives.size());
  for (std::size_t round = 0; round <= rounds; ++round) {
    std::ranges::shuffle(order, random);
    std::vector<std::future<double>> running(alternatives.size());
    for (const std::size_t i : order)
      running[i] = std::async(std::launch::async, alternatives[i]);
    for (std::size_t i = 0; i < running.size(); ++i) {
      const double sample = running[i].get();
      if (round > 0)
        samples[i].push_back(sample);
    }
  }
  return samples;
}

} // namespace sartor::bench
