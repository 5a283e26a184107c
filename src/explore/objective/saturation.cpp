// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/objective/saturation.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include <sched.h>
#include <unistd.h>

#include "explore/objective/cpu_time.h"

namespace sartor {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// Threads that have come since are counted from then on.
constexpr auto threads_are_found_every = 100ms;

/// By thread, the seconds that it has had of a processor or has waited for one that others had; see
/// Documentation/scheduler/sched-stats.rst of Linux. What a neighbour takes does not make it idle.
std::map<pid_t, double> seconds_by_thread() {
  std::map<pid_t, double> seconds;
  std::error_code error;
  for (const auto &task : std::filesystem::directory_iterator("/proc/self/task", error)) {
    const std::string name = task.path().filename();
    pid_t id = 0;
    std::from_chars(name.data(), name.data() + name.size(), id);
    double computed = 0, waited = 0;
    if (std::ifstream(task.path() / "schedstat") >> computed >> waited && id != gettid())
      seconds[id] = 1e-9 * (computed + waited);
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

bool is_rate(const Objective &objective) {
  return objective.kind == Objective::Kind::counter &&
         objective.direction == Objective::Direction::higher_is_better;
}

Objective cost_of(const Objective &rate) {
  // Ticks of the scheduler, by which the clock of the process goes, are longer than slices.
  const auto exact = [cpu = std::make_shared<CpuTime>(), found = Clock::time_point()]() mutable {
    if (const auto now = Clock::now(); now - found >= threads_are_found_every) {
      cpu->find_threads();
      found = now;
    }
    return cpu->seconds();
  };
  Objective objective = Objective::cost_per(rate.cost ? rate.cost : std::function<double()>(exact),
                                            rate.read, "cost of " + rate.name, "s");
  if (rate.cost)
    objective.unit.clear();
  objective.bounds = rate.bounds;
  return objective;
}

} // namespace

std::optional<double> busy_share(std::chrono::nanoseconds look, const std::stop_token &stop) {
  const auto began = Clock::now();
  const auto threads_before = seconds_by_thread();
  while (Clock::now() - began < look) {
    if (stop.stop_requested())
      return std::nullopt;
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(look, 5ms));
  }
  const auto threads = seconds_by_thread();
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  double busiest = 0, all = 0;
  for (const auto &[thread, now] : threads)
    if (const auto then = threads_before.find(thread); then != threads_before.end()) {
      busiest = std::max(busiest, now - then->second);
      all += now - then->second;
    }
  busiest = std::max(busiest, all / processors());
  if (threads_before.empty()) // no schedstat in this kernel
    return std::nullopt;
  return std::clamp(busiest / seconds, 0.0, 1.0);
}

bool has_rate(const Objective &objective) {
  return objective.quantities.empty()
             ? is_rate(objective)
             : std::ranges::any_of(objective.quantities,
                                   [](const Quantity &quantity) { return is_rate(*quantity.of); });
}

Objective cost_of_unit(const Objective &objective) {
  if (objective.quantities.empty())
    return cost_of(objective);
  std::vector<Weighted> members;
  for (const auto &[of, share] : objective.quantities)
    members.push_back({is_rate(*of) ? cost_of(*of) : *of, share});
  Objective weighted = Objective::weighted(members);
  weighted.bounds = objective.bounds;
  return weighted;
}

} // namespace sartor
