// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/measure/call_meter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>
#include <utility>

#include "explore/evidence/interval.h"
#include "observe/result.h"
#include "value/value_json.h"

namespace sartor {

namespace {

using namespace std::chrono_literals;

/// Rounds of a slice.
constexpr std::size_t rounds_per_slice = 8;
/// Between looks at what threads have measured.
constexpr auto nap = 500us;
/// A variant that takes this many times as long as the incumbent is cut whatever was asked for.
const double far_behind = std::log(1.3);
/// Rounds that must agree on that.
constexpr std::size_t enough_rounds = 3;
/// A rotation that somebody ends is begun again, but not for ever.
constexpr int most_restarts = 3;
/// The standard error of the mean of a normal sample's middle half, over that of the mean.
constexpr double middle_error = 1.2;

} // namespace

void CallMeter::set_incumbent(const Configuration &configuration) {
  if (configuration == incumbent_ && !lanes_.empty())
    return;
  rotation_->stop();
  lanes_.clear();
  rotation_->put_in_force(configuration);
  incumbent_ = configuration;
}

std::optional<std::size_t> CallMeter::lane_of(const Configuration &configuration) const {
  const auto lane = std::ranges::find(lanes_, configuration, &Lane::configuration);
  if (lane == lanes_.end())
    return std::nullopt;
  return static_cast<std::size_t>(lane - lanes_.begin());
}

bool CallMeter::is_rotating(std::span<const Configuration> configurations) const {
  return std::ranges::all_of(configurations, [&](const Configuration &configuration) {
    const auto lane = lane_of(configuration);
    return lane && !lanes_[*lane].cut;
  });
}

bool CallMeter::start(std::span<const Configuration> configurations) {
  std::vector<Configuration> others;
  for (const Configuration &configuration : configurations)
    if (configuration != incumbent_)
      others.push_back(configuration);
  auto started = rotation_->start(others, options_.regression_budget);
  lanes_.clear();
  if (!started) {
    for (const Configuration &configuration : configurations)
      log_failure(configuration, started.error());
    return false;
  }
  record_ = CallRecord(started->plan, others.size() + 1);
  lanes_.push_back({.configuration = incumbent_});
  for (std::size_t i = 0; i < others.size(); ++i) {
    const auto &failure = started->failures[i];
    lanes_.push_back({.configuration = others[i], .failed = failure.has_value()});
    if (failure)
      log_failure(others[i], *failure);
  }
  return true;
}

void CallMeter::keep_only(std::span<const Configuration> configurations) {
  for (std::size_t lane = 1; lane < lanes_.size(); ++lane)
    if (!lanes_[lane].cut &&
        std::ranges::find(configurations, lanes_[lane].configuration) == configurations.end()) {
      lanes_[lane].cut = true;
      rotation_->leave_out(lane);
    }
}

std::optional<std::vector<Trial>> CallMeter::measure(std::span<const Configuration> configurations,
                                                     std::size_t slices,
                                                     const std::stop_token &stop) {
  const auto began = Clock::now();
  if (lanes_.empty() || !is_rotating(configurations))
    start(configurations);
  else
    keep_only(configurations);
  if (!gather(configurations, slices, stop))
    return std::nullopt;
  const std::chrono::duration<double> took = Clock::now() - began;
  std::vector<Trial> trials;
  for (const Configuration &configuration : configurations) {
    trials.push_back(trial_of(configuration, slices));
    trials.back().seconds = took.count() / static_cast<double>(configurations.size());
  }
  record_.clear();
  return trials;
}

/// A slice is of a few rounds of calls, however long they take.
std::optional<std::vector<Trial>>
CallMeter::measure_blocks(std::span<const Configuration> configurations,
                          std::chrono::nanoseconds /*block*/, const std::stop_token &stop) {
  return measure(configurations, 1, stop);
}

/// False if stopped.
bool CallMeter::gather(std::span<const Configuration> configurations, std::size_t slices,
                       const std::stop_token &stop) {
  const auto has = [&](std::size_t rounds) {
    return std::ranges::all_of(configurations, [&](const Configuration &configuration) {
      const std::size_t lane = lane_of(configuration).value();
      return lanes_[lane].failed || lanes_[lane].cut || record_.of(lane).size() >= rounds;
    });
  };
  const auto began = Clock::now();
  auto heard = began;
  for (int restarts = 0; !lanes_.empty();) {
    samples_.clear();
    const bool is_on = rotation_->take(samples_);
    const auto now = Clock::now();
    for (const auto &sample : samples_)
      if (record_.add(sample)) {
        heard = now;
        is_silent_ = false;
      }
    if (!is_on && (++restarts > most_restarts || !start(configurations))) {
      lanes_.clear();
      return true;
    }
    for (std::size_t lane = 1; lane < lanes_.size(); ++lane)
      cut_short(lane, slices);
    if (has(slices * rounds_per_slice))
      return true;
    if (now - heard >= options_.longest_slice) {
      if (!std::exchange(is_silent_, true))
        rotation_->log(
            "not_called",
            dump({{"handler", rotation_->handler()},
                  {"seconds", std::chrono::duration<double>(options_.longest_slice).count()}}));
      return true;
    }
    if (now - began >= slices * options_.longest_slice && has(1))
      return true;
    if (stop.stop_requested())
      return false;
    std::this_thread::sleep_for(nap);
  }
  return true;
}

/// A variant that is surely worse need not be measured any longer. Races of many short slices
/// decide for themselves unless it is far behind.
void CallMeter::cut_short(std::size_t lane, std::size_t slices) {
  const auto &behind = record_.of(lane);
  if (lanes_[lane].cut || lanes_[lane].failed || behind.size() < enough_rounds)
    return;
  const bool is_far = std::ranges::all_of(behind, [](double by) { return by > far_behind; });
  const auto [mean, radius] = always_valid_mean(behind, options_.error_probability);
  if (is_far || mean - radius > (slices > 1 ? options_.tolerance : far_behind)) {
    lanes_[lane].cut = true;
    rotation_->leave_out(lane);
  }
}

double CallMeter::incumbent_score(std::size_t slices) {
  if (const auto &costs = record_.of(0); !costs.empty())
    incumbent_cost_ = middle_of(costs);
  const double now = std::exp(-incumbent_cost_);
  // Short slices are paired by the strategy, and may tell of a workload that moves.
  if (slices == 1)
    return now;
  const double score = scale_.try_emplace(incumbent_, now).first->second;
  if (scale_.size() == 1)
    first_ = score;
  return score;
}

Trial CallMeter::trial_of(const Configuration &configuration, std::size_t slices) {
  Trial trial{.configuration = configuration, .slices = slices, .failed = true};
  const auto lane = lanes_.empty() ? std::nullopt : lane_of(configuration);
  if (!lane || lanes_[*lane].failed || record_.of(*lane).empty())
    return trial;
  const std::vector<double> &behind = record_.of(*lane);
  const bool is_incumbent = *lane == 0;
  trial.failed = false;
  trial.score = incumbent_score(slices) * (is_incumbent ? 1 : std::exp(-middle_of(behind)));
  trial.error = trial.score * middle_error * robust_deviation(behind) /
                std::sqrt(static_cast<double>(behind.size()));
  trial.cut_short = lanes_[*lane].cut;
  trial.slices = std::clamp<std::size_t>(behind.size() / rounds_per_slice, 1, slices);
  if (slices > 1) {
    scale_[configuration] = trial.score;
    trial.reference = first_;
  }
  return trial;
}

void CallMeter::log_failure(const Configuration &configuration, const Failure &failure) const {
  rotation_->log("trial",
                 dump({{"configuration", nlohmann::ordered_json::parse(configuration.json())},
                       {"text", configuration.text()},
                       {"failed", true},
                       {"error", failure.text()}}));
}

} // namespace sartor
