// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/settle.h"

#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <dirent.h>
#include <unistd.h>

#include "engine/readers.h"

namespace sartor::engine {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// How often the time that a thread has run for must be seen to have grown. The first time it may
// have run before; the second time it may have been stopped where it had been, by a page that was
// not there.
constexpr unsigned kGrowths = 3;

/// Where nothing can be learned of threads.
constexpr auto kLongEnough = 50ms;

constexpr auto kPeriod = 500us;

std::string first_word(const std::string &path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

/// A thread that has not gone on yet, as far as is known.
struct Stopped {
  std::string directory; ///< Where the system tells of it.
  std::string ran = {};  ///< For how long.
  unsigned growths = 0;

  bool has_gone_on() {
    // The number of the call that it is in; else `running`, or -1 for a fault.
    const std::string call = first_word(directory + "/syscall");
    if (!call.empty() && call.front() >= '0' && call.front() <= '9')
      return true;
    std::string now = first_word(directory + "/schedstat");
    if (now.empty())
      return true; // it has ended
    if (now != ran) {
      growths += ran.empty() ? 0 : 1;
      ran = std::move(now);
    }
    return growths >= kGrowths;
  }
};

constexpr const char *kThreads = "/proc/self/task/";

std::vector<Stopped> other_threads() {
  std::vector<Stopped> threads;
  DIR *directory = opendir(kThreads);
  if (!directory)
    return threads;
  while (const dirent *entry = readdir(directory)) {
    const auto number = std::strtol(entry->d_name, nullptr, 10);
    if (number > 0 && number != gettid())
      threads.push_back({std::string(kThreads) + entry->d_name});
  }
  closedir(directory);
  return threads;
}

} // namespace

bool settle(std::chrono::nanoseconds at_most) {
  const auto end = Clock::now() + at_most;
  fence_for_all();
  if (first_word(std::string(kThreads) + std::to_string(gettid()) + "/schedstat").empty()) {
    std::this_thread::sleep_for(kLongEnough);
    return true;
  }
  for (auto threads = other_threads(); !threads.empty(); std::this_thread::sleep_for(kPeriod)) {
    std::erase_if(threads, [](Stopped &thread) { return thread.has_gone_on(); });
    if (!threads.empty() && Clock::now() >= end)
      return false;
  }
  return true;
}

} // namespace sartor::engine
