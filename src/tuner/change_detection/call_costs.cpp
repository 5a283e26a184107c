// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/change_detection/call_costs.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <thread>
#include <utility>

#include "tuner/evidence/interval.h"
#include "tuner/limits.h"

namespace sartor {

namespace {

using Clock = std::chrono::steady_clock;

/// The rotation need not limit its own cost: change detection has a budget for it.
constexpr double any_budget = 1;

/// Typical ticks of a call of the active variant. This looks for lasting moves; an exploration
/// decides on all calls.
double usual_cost(const CallRecord &record) {
  std::vector<double> logs;
  for (const Sample &batch : record.of(0))
    logs.push_back(-std::log(batch.score));
  return std::exp(middle_of(std::move(logs)));
}

/// Ticks of the rival's calls as a multiple of the active variant's.
double usual_ratio(const CallRecord &record) {
  const auto [rivals, ours] = record.pairs(1);
  std::vector<double> logs;
  for (std::size_t i = 0; i < rivals.size(); ++i)
    logs.push_back(std::log(ours[i].score / rivals[i].score));
  return std::exp(middle_of(std::move(logs)));
}

} // namespace

CallCosts::CallCosts(std::unique_ptr<CallRotation> rotation, const ExplorerOptions &options,
                     Configuration rival)
    : rotation_(std::move(rotation)), rival_(std::move(rival)),
      apart_(options.detection_window / limits::call_samples),
      longest_(options.longest_sample_time) {}

bool CallCosts::has(std::size_t rounds) const {
  for (std::size_t lane = 0; lane < record_.lanes(); ++lane)
    if (record_.of(lane).size() < rounds)
      return false;
  return true;
}

bool CallCosts::gather(std::span<const Configuration> others, std::size_t rounds,
                       const std::stop_token &stop) {
  const auto started = rotation_->start(others, any_budget);
  if (!started) {
    record_ = CallRecord(0, others.size() + 1);
    return !stop.stop_requested();
  }
  record_ = CallRecord(started->plan, others.size() + 1);
  bool is_on = true;
  for (const auto end = Clock::now() + longest_;
       is_on && !has(rounds) && Clock::now() < end && !stop.stop_requested();) {
    std::this_thread::sleep_for(limits::call_nap);
    samples_.clear();
    is_on = rotation_->take(samples_);
    for (const auto &sample : samples_)
      record_.add(sample);
  }
  rotation_->stop();
  return !stop.stop_requested();
}

std::optional<double> CallCosts::sample(const std::stop_token &stop) {
  for (const auto end = Clock::now() + apart_; Clock::now() < end;
       std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(limits::stop_nap, apart_)))
    if (stop.stop_requested())
      return std::nullopt;
  if (!gather({}, limits::call_rounds, stop))
    return std::nullopt;
  if (record_.of(0).empty())
    return no_number;
  const double cost = usual_cost(record_);
  done_.push_back(cost);
  return cost;
}

std::optional<Costs::Pair> CallCosts::pair(const std::stop_token &stop) {
  const auto began = Clock::now();
  if (!gather(std::span(&rival_, 1), limits::call_pair_rounds, stop))
    return std::nullopt;
  // Half of the calls are the rival's; polling for their results mostly sleeps.
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count() / 2;
  if (record_.pairs(1).ours.empty())
    return Pair{no_number, no_number, seconds, 0};
  const double ours = usual_cost(record_);
  return Pair{ours, ours * usual_ratio(record_), seconds, 0};
}

double CallCosts::value() {
  const std::vector<double> done = std::exchange(done_, {});
  return done.empty()
             ? no_number
             : std::accumulate(done.begin(), done.end(), 0.0) / static_cast<double>(done.size());
}

} // namespace sartor
