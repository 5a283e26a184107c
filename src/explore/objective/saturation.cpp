// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/objective/saturation.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include <sched.h>
#include <unistd.h>

#include "explore/objective/cpu_time.h"

namespace sartor {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// What the process has computed, without this thread, which only looks.
double others_seconds() { return process_seconds() - own_seconds(); }

/// By thread, the seconds that it has had of a processor; see proc_pid_schedstat(5).
std::map<pid_t, double> seconds_by_thread() {
  std::map<pid_t, double> seconds;
  std::error_code error;
  for (const auto &task : std::filesystem::directory_iterator("/proc/self/task", error)) {
    const std::string name = task.path().filename();
    pid_t id = 0;
    std::from_chars(name.data(), name.data() + name.size(), id);
    double nanoseconds = 0;
    if (std::ifstream(task.path() / "schedstat") >> nanoseconds && id != gettid())
      seconds[id] = 1e-9 * nanoseconds;
  }
  return seconds;
}

double processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(getpid(), sizeof set, &set) != 0)
    return std::max(1U, std::thread::hardware_concurrency());
  return std::max(1, CPU_COUNT(&set));
}

} // namespace

std::optional<double> busy_share(std::chrono::nanoseconds look, const std::stop_token &stop) {
  const auto began = Clock::now();
  const double before = others_seconds();
  const auto threads_before = seconds_by_thread();
  while (Clock::now() - began < look) {
    if (stop.stop_requested())
      return std::nullopt;
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(look, 5ms));
  }
  const auto threads = seconds_by_thread();
  const double spent = others_seconds() - before;
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  double busiest = spent / processors();
  for (const auto &[thread, now] : threads)
    if (const auto then = threads_before.find(thread); then != threads_before.end())
      busiest = std::max(busiest, now - then->second);
  if (threads_before.empty()) // no schedstat in this kernel
    return std::nullopt;
  return std::clamp(busiest / seconds, 0.0, 1.0);
}

Objective cost_of_unit(const Objective &rate) {
  Objective objective = Objective::cost_per(rate.cost ? rate.cost : others_seconds, rate.read,
                                            "cost of " + rate.name, "s");
  if (rate.cost)
    objective.unit.clear();
  return objective;
}

} // namespace sartor
