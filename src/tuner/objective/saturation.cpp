// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/objective/saturation.h"

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

#include "base/text/json.h"
#include "tuner/limits.h"
#include "tuner/objective/cpu_time.h"

namespace sartor {

namespace {

using Clock = std::chrono::steady_clock;

struct Thread {
  /// Time on a processor, or waiting for one that others used; see
  /// Documentation/scheduler/sched-stats.rst of Linux. A thread that waits because of a neighbour
  /// is not idle.
  double seconds = 0;
  double computed = 0; ///< Time on a processor.
  bool is_runnable = false;
};

/// See proc_pid_stat(5): the state follows the name, which may be any text in parentheses.
bool is_runnable(const std::filesystem::path &task) {
  std::string line;
  std::getline(std::ifstream(task / "stat"), line);
  const auto end_of_name = line.rfind(')');
  return end_of_name != std::string::npos && line.substr(end_of_name + 1, 2) == " R";
}

std::map<pid_t, Thread> all_threads() {
  std::map<pid_t, Thread> threads;
  std::error_code error;
  for (const auto &task : std::filesystem::directory_iterator("/proc/self/task", error)) {
    const std::string name = task.path().filename();
    pid_t id = 0;
    std::from_chars(name.data(), name.data() + name.size(), id);
    double computed = 0, waited = 0;
    if (std::ifstream(task.path() / "schedstat") >> computed >> waited && id != gettid())
      threads[id] = {1e-9 * (computed + waited), 1e-9 * computed, is_runnable(task.path())};
  }
  return threads;
}

double processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(getpid(), sizeof set, &set) != 0)
    return std::max(1U, std::thread::hardware_concurrency());
  return std::max(1, CPU_COUNT(&set));
}

/// True if a thread has been waiting for a processor since the previous look.
bool is_anyone_in_line(const std::map<pid_t, Thread> &before, const std::map<pid_t, Thread> &now) {
  return std::ranges::any_of(now, [&](const auto &each) {
    const auto then = before.find(each.first);
    return then != before.end() && each.second.is_runnable && then->second.is_runnable &&
           each.second.seconds == then->second.seconds;
  });
}

ProcessorUse use_between(const std::map<pid_t, Thread> &before, const std::map<pid_t, Thread> &now,
                         double elapsed) {
  double busiest = 0, busy = 0, computed = 0;
  for (const auto &[id, thread] : now)
    if (const auto then = before.find(id); then != before.end()) {
      busiest = std::max(busiest, thread.seconds - then->second.seconds);
      busy += thread.seconds - then->second.seconds;
      computed += thread.computed - then->second.computed;
    }
  const double possible = std::min(busy, processors() * elapsed);
  return {std::clamp(std::max(busiest, busy / processors()) / elapsed, 0.0, 1.0),
          possible > 0 ? std::clamp(1 - computed / possible, 0.0, 1.0) : 0};
}

bool is_rate(const Objective &objective) {
  return objective.kind == Objective::Kind::counter &&
         objective.direction == Objective::Direction::higher_is_better;
}

Objective cost_of(const Objective &rate) {
  // The process clock advances by scheduler ticks, which are longer than samples.
  const auto exact = [cpu = std::make_shared<CpuTime>(), found = Clock::time_point()]() mutable {
    if (const auto now = Clock::now(); now - found >= limits::threads_are_found_every) {
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

std::optional<ProcessorUse> processor_use(std::chrono::nanoseconds look,
                                          const std::stop_token &stop) {
  constexpr std::chrono::nanoseconds nap = limits::stop_nap;
  const auto began = Clock::now();
  const auto before = all_threads();
  if (before.empty()) // no schedstat in this kernel
    return std::nullopt;
  for (auto last = before;;) {
    if (stop.stop_requested())
      return std::nullopt;
    std::this_thread::sleep_for(std::min(look, nap));
    const auto elapsed = Clock::now() - began;
    if (elapsed < look - nap)
      continue;
    auto now = all_threads();
    const auto use = use_between(before, now, std::chrono::duration<double>(elapsed).count());
    if (elapsed >= look &&
        (use.busy >= limits::saturated || elapsed >= limits::longest_look_for_saturation * look ||
         !is_anyone_in_line(last, now)))
      return use;
    last = std::move(now);
  }
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

Objective compared(const Runtime &runtime, const Objective &objective,
                   const std::stop_token &stop) {
  if (!has_rate(objective))
    return objective;
  const auto use = processor_use(limits::look_for_saturation, stop);
  if (!use || (use->busy >= limits::saturated && use->lost <= limits::most_lost))
    return objective;
  Objective cost = cost_of_unit(objective);
  if (use->busy < limits::saturated)
    runtime.log_event(
        "not_saturated",
        dump({{"objective", objective.name}, {"busy", use->busy}, {"compared", cost.name}}));
  else
    runtime.log_event(
        "crowded",
        dump({{"objective", objective.name}, {"lost", use->lost}, {"compared", cost.name}}));
  return cost;
}

} // namespace sartor
