// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/watch/watch_costs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include <time.h>

namespace sartor {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;
using namespace std::chrono_literals;

/// As short as beats can be while a tick of the scheduler is a small part of them.
constexpr nanoseconds beat_length = 25ms;
constexpr nanoseconds nap = beat_length / 10;
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

double process_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

} // namespace

RequestCosts::RequestCosts(const Objective &objective, const ExplorerOptions &options,
                           Configuration incumbent, Configuration rival, PutInForce put_in_force)
    : objective_(objective),
      count_(objective.kind == Objective::Kind::ratio ? objective.per : objective.read),
      longest_(std::max<nanoseconds>(options.longest_slice, beat_length)),
      events_(options.slice_events), incumbent_(std::move(incumbent)), rival_(std::move(rival)),
      put_in_force_(std::move(put_in_force)) {}

std::optional<double> RequestCosts::beat(const std::stop_token &stop) {
  return objective_.kind == Objective::Kind::gauge ? read_gauge(stop) : read_counts(stop);
}

double RequestCosts::cost() const {
  if (objective_.kind == Objective::Kind::ratio)
    return objective_.read();
  return objective_.cost ? objective_.cost() : process_seconds();
}

/// From the counter's first change to its last, as CounterWindow takes it.
std::optional<double> RequestCosts::read_counts(const std::stop_token &stop) {
  const auto start = Clock::now();
  const Account begin{count_(), cost()};
  Account first = begin, last = begin;
  for (;;) {
    std::this_thread::sleep_for(nap);
    if (stop.stop_requested())
      return std::nullopt;
    if (const double count = count_(); count != last.count) {
      const bool is_first = last.count == begin.count;
      last = {count, cost()};
      if (is_first)
        first = last;
    }
    const auto elapsed = Clock::now() - start;
    const bool enough = last.count != first.count && last.count - begin.count >= events_;
    if (elapsed >= (enough ? beat_length : longest_))
      break;
  }
  done_.count += last.count - begin.count;
  done_.cost += last.cost - begin.cost;
  seconds_ += seconds_since(start);
  const double requests = last.count - first.count;
  return requests > 0 ? (last.cost - first.cost) / requests : no_number;
}

std::optional<double> RequestCosts::read_gauge(const std::stop_token &stop) {
  const auto start = Clock::now();
  Account sum;
  while (Clock::now() - start < beat_length) {
    std::this_thread::sleep_for(nap);
    if (stop.stop_requested())
      return std::nullopt;
    if (const double value = objective_.read(); std::isfinite(value)) {
      sum.cost += value;
      ++sum.count;
    }
  }
  done_.count += sum.count;
  done_.cost += sum.cost;
  return sum.count > 0 ? sum.cost / sum.count : no_number;
}

std::optional<std::pair<double, double>> RequestCosts::pair(const std::stop_token &stop) {
  const auto ours = beat(stop);
  if (!ours)
    return std::nullopt;
  if (!std::isfinite(*ours)) // nothing going on: no reason to have anything else in force
    return std::pair(no_number, no_number);
  const Account done = done_;
  const double seconds = seconds_;
  std::optional<double> theirs;
  try {
    put_in_force_(rival_);
    theirs = beat(stop);
  } catch (const Error &) {
    theirs = no_number;
  } catch (...) {
    put_in_force_(incumbent_);
    throw;
  }
  put_in_force_(incumbent_);
  done_ = done;
  seconds_ = seconds;
  if (!theirs)
    return std::nullopt;
  return std::pair(*ours, *theirs);
}

double RequestCosts::value() {
  const Account done = std::exchange(done_, {});
  const double seconds = std::exchange(seconds_, 0);
  if (objective_.kind == Objective::Kind::counter)
    return seconds > 0 ? done.count / seconds : no_number;
  return done.count > 0 ? done.cost / done.count : no_number;
}

} // namespace sartor
