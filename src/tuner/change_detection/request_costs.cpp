// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/change_detection/request_costs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

#include "tuner/limits.h"

namespace sartor {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// True if the better configuration has the larger value, so that the cost is its reciprocal. The
/// value of a counter is the cost of a count, which is less if it counts faster.
bool is_larger_better(const Objective &objective) {
  const bool is_high = objective.direction == Objective::Direction::higher_is_better;
  switch (objective.kind) {
  case Objective::Kind::counter:
    return !is_high;
  case Objective::Kind::ratio:
  case Objective::Kind::gauge:
    return is_high;
  case Objective::Kind::call:
  case Objective::Kind::percentile:
    break;
  }
  return false;
}

} // namespace

RequestCosts::RequestCosts(const Objective &objective, const ExplorerOptions &options,
                           Configuration incumbent, Configuration rival, Activate activate)
    : objective_(objective),
      count_(objective.kind == Objective::Kind::ratio ? objective.per : objective.read),
      sample_time_(options.sample_time), longest_(options.longest_sample_time),
      events_(options.events_per_sample), incumbent_(std::move(incumbent)),
      rival_(std::move(rival)), activate_(std::move(activate)) {}

std::optional<double> RequestCosts::sample(const std::stop_token &stop) {
  return read(limits::sample, stop);
}

std::optional<double> RequestCosts::read(nanoseconds length, const std::stop_token &stop) {
  const auto value = objective_.kind == Objective::Kind::gauge ? read_gauge(length, stop)
                                                               : read_counts(length, stop);
  is_busy_ = value && std::isfinite(*value);
  return value && is_larger_better(objective_) ? std::optional(1 / *value) : value;
}

double RequestCosts::cost() {
  if (objective_.kind == Objective::Kind::ratio)
    return objective_.read();
  if (objective_.cost)
    return objective_.cost();
  return is_exact_ ? cpu_.seconds() : process_seconds();
}

/// Measures from the counter's first change to its last, as CounterWindow does.
std::optional<double> RequestCosts::read_counts(nanoseconds length, const std::stop_token &stop) {
  const auto start = Clock::now();
  const Account begin{count_(), cost()};
  Account first = begin, last = begin;
  for (int look = 1;; ++look) {
    std::this_thread::sleep_until(start + look * length / limits::looks_in_sample);
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
    if (elapsed >= (enough ? length : std::max(length, longest_)))
      break;
  }
  done_.count += last.count - begin.count;
  done_.cost += last.cost - begin.cost;
  done_.seconds += seconds_since(start);
  const double requests = last.count - first.count;
  return requests > 0 ? (last.cost - first.cost) / requests : no_number;
}

std::optional<double> RequestCosts::read_gauge(nanoseconds length, const std::stop_token &stop) {
  const auto start = Clock::now();
  Account sum;
  for (int look = 1; Clock::now() - start < length; ++look) {
    std::this_thread::sleep_until(start + look * length / limits::looks_in_sample);
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

std::optional<double> RequestCosts::read_rival(double &seconds, const std::stop_token &stop) {
  const auto began = Clock::now();
  std::optional<double> cost;
  try {
    activate_(rival_);
    cost = read(sample_time_, stop);
  } catch (const Error &) {
    cost = no_number;
  } catch (...) {
    activate_(incumbent_);
    throw;
  }
  activate_(incumbent_);
  seconds = seconds_since(began);
  return cost;
}

std::optional<Costs::Pair> RequestCosts::pair(const std::stop_token &stop) {
  const double worked = own_seconds();
  const Account done = done_;
  cpu_.find_threads();
  is_exact_ = true; // scheduler ticks are longer than samples
  Pair pair{no_number, no_number, 0, 0};
  const bool went_on = read_pair(pair, stop);
  is_exact_ = false;
  done_ = done;
  pair.work = own_seconds() - worked;
  return went_on ? std::optional(pair) : std::nullopt;
}

/// Takes a sample before and one after, so that drift cancels. False if stopped.
bool RequestCosts::read_pair(Pair &pair, const std::stop_token &stop) {
  const auto before = read(limits::sample, stop);
  if (!before)
    return false;
  if (!is_busy_) // without requests, there is no reason to activate another configuration
    return true;
  const auto rivals = read_rival(pair.seconds, stop);
  if (!rivals)
    return false;
  const auto after = read(limits::sample, stop);
  if (!after)
    return false;
  pair.ours = (*before + *after) / 2;
  pair.rivals = *rivals;
  return true;
}

double RequestCosts::value() {
  const Account done = std::exchange(done_, {});
  if (objective_.kind == Objective::Kind::counter)
    return done.seconds > 0 ? done.count / done.seconds : no_number;
  return done.count > 0 ? done.cost / done.count : no_number;
}

} // namespace sartor
