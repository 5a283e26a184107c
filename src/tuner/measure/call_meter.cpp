// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/measure/call_meter.h"

#include <algorithm>
#include <utility>

#include "base/result.h"
#include "base/text/value_json.h"
#include "tuner/evidence/paired_test.h"
#include "tuner/limits.h"

namespace sartor {

void CallMeter::set_incumbent(const Configuration &configuration) {
  if (configuration == incumbent_ && !lanes_.empty())
    return;
  rotation_->stop();
  rotation_->activate(configuration);
  hold_against(configuration);
}

void CallMeter::hold_against(const Configuration &active) {
  lanes_.clear();
  over_.clear();
  incumbent_ = active;
}

std::optional<std::size_t> CallMeter::lane_of(const Configuration &configuration) const {
  const auto lane = std::ranges::find(lanes_, configuration, &Lane::configuration);
  if (lane == lanes_.end())
    return std::nullopt;
  return static_cast<std::size_t>(lane - lanes_.begin());
}

/// True if all configurations to be measured are in the rotation.
bool CallMeter::has_lanes() const {
  return !lanes_.empty() && std::ranges::all_of(now_.configurations, [&](const auto &each) {
    return lane_of(each).has_value();
  });
}

bool CallMeter::start() {
  std::vector<Configuration> others;
  for (const Configuration &configuration : now_.configurations)
    if (configuration != incumbent_)
      others.push_back(configuration);
  auto started = rotation_->start(others, options_.regression_budget);
  lanes_.clear();
  if (!started) {
    for (const Configuration &configuration : now_.configurations)
      log_failure(configuration, started.error());
    return false;
  }
  rotating_since_ = rotation_->now();
  record_ = CallRecord(started->plan, others.size() + 1);
  lanes_.push_back({.configuration = incumbent_});
  for (std::size_t i = 0; i < others.size(); ++i) {
    const auto &failure = started->failures[i];
    lanes_.push_back(
        {.configuration = others[i], .failed = failure.has_value(), .out = failure.has_value()});
    if (failure)
      log_failure(others[i], *failure);
  }
  return true;
}

/// Gives turns to the configurations to be measured, and to no others.
void CallMeter::let_run() {
  for (std::size_t lane = 1; lane < lanes_.size(); ++lane) {
    lanes_[lane].cut = false;
    set_out(lane, lanes_[lane].failed ||
                      std::ranges::find(now_.configurations, lanes_[lane].configuration) ==
                          now_.configurations.end());
  }
}

void CallMeter::set_out(std::size_t lane, bool is_out) {
  if (std::exchange(lanes_[lane].out, is_out) != is_out)
    rotation_->set_out(lane, is_out);
}

std::optional<std::vector<Trial>> CallMeter::measure(std::span<const Configuration> configurations,
                                                     std::size_t sample_count,
                                                     const std::stop_token &stop) {
  begin(configurations, sample_count);
  return wait(stop);
}

std::optional<std::vector<Trial>>
CallMeter::measure_blocks(std::span<const Configuration> configurations,
                          std::chrono::nanoseconds block, const std::stop_token &stop) {
  begin({.configurations = {configurations.begin(), configurations.end()}, .block = block});
  return wait(stop);
}

void CallMeter::begin(std::span<const Configuration> configurations, std::size_t sample_count) {
  over_.clear();
  begin({.configurations = {configurations.begin(), configurations.end()},
         .sample_count = sample_count});
}

void CallMeter::begin(Measurement measurement) {
  now_ = std::move(measurement);
  now_.began = now_.heard = rotation_->now();
  if (has_lanes())
    let_run();
  else
    start();
}

/// Nothing if stopped.
std::optional<std::vector<Trial>> CallMeter::wait(const std::stop_token &stop) {
  while (!look()) {
    if (stop.stop_requested())
      return std::nullopt;
    rotation_->wait(limits::call_nap);
  }
  return finish();
}

bool CallMeter::look() {
  if (lanes_.empty())
    return true;
  samples_.clear();
  const bool is_on = rotation_->take(samples_);
  const auto time = rotation_->now();
  for (const auto &sample : samples_)
    if (record_.add(sample)) {
      now_.heard = time;
      is_silent_ = false;
    }
  if (!is_on && (++now_.restarts > limits::most_rotations || !start())) {
    lanes_.clear();
    return true;
  }
  for (std::size_t lane = 1; lane < lanes_.size() && !now_.block; ++lane)
    cut_short(lane);
  if (now_.block ? has_block() : has(now_.sample_count * options_.rounds))
    return true;
  if (time - now_.heard >= options_.longest_sample_time) {
    if (!std::exchange(is_silent_, true))
      rotation_->log(
          "not_called",
          dump({{"handler", rotation_->handler()},
                {"seconds", std::chrono::duration<double>(options_.longest_sample_time).count()}}));
    return true;
  }
  return time - now_.began >= now_.sample_count * options_.longest_sample_time && has(1);
}

std::vector<Trial> CallMeter::finish() {
  const std::chrono::duration<double> took = rotation_->now() - now_.began;
  std::vector<Trial> trials;
  for (const Configuration &configuration : now_.configurations) {
    trials.push_back(trial_of(configuration));
    trials.back().seconds = took.count() / static_cast<double>(now_.configurations.size());
  }
  record_.clear();
  return trials;
}

std::optional<CallMeter::Calls> CallMeter::calls() const {
  if (lanes_.empty())
    return std::nullopt;
  return Calls{record_.calls(), rotating_since_};
}

bool CallMeter::is_waited_for(std::size_t lane) const {
  return !lanes_[lane].failed && !lanes_[lane].cut;
}

bool CallMeter::has(std::size_t rounds) const {
  return std::ranges::all_of(now_.configurations, [&](const Configuration &configuration) {
    const std::size_t lane = lane_of(configuration).value();
    return !is_waited_for(lane) || record_.of(lane).size() >= rounds;
  });
}

/// The length of a block is known once the first one has been measured.
bool CallMeter::has_block() {
  if (block_ticks_ == 0) {
    if (rotation_->now() - now_.began < *now_.block ||
        record_.of(0).size() < limits::rounds_of_block || !has(limits::rounds_of_block))
      return false;
    block_ticks_ = pending(0).weight;
  }
  return std::ranges::all_of(now_.configurations, [&](const Configuration &configuration) {
    const std::size_t lane = lane_of(configuration).value();
    return !is_waited_for(lane) || pending(lane).weight >= block_ticks_;
  });
}

/// Ends the measurement of a variant that is surely worse. A race of many short samples decides by
/// itself, unless the variant is far behind.
void CallMeter::cut_short(std::size_t lane) {
  const auto [ours, incumbents] = record_.pairs(lane);
  if (lanes_[lane].out || ours.size() < 2)
    return;
  const double at_most =
      PairedTest(total_of(ours), total_of(incumbents))
          .at_most(options_.error_probability / static_cast<double>(lanes_.size()),
                   {.likely = limits::cut_behind, .least_deviation = limits::least_noise});
  if (at_most < -(now_.sample_count > 1 ? options_.tolerance : limits::cut_behind)) {
    lanes_[lane].cut = true;
    set_out(lane, true);
  }
}

/// Everything that counts for the next block.
Sample CallMeter::pending(std::size_t lane) const {
  const auto over = over_.find(lanes_[lane].configuration);
  double calls = over == over_.end() ? 0 : over->second.score * over->second.weight;
  double ticks = over == over_.end() ? 0 : over->second.weight;
  for (const Sample &each : record_.of(lane)) {
    calls += each.score * each.weight;
    ticks += each.weight;
  }
  return {.score = ticks > 0 ? calls / ticks : 0, .weight = ticks};
}

Trial CallMeter::trial_of(const Configuration &configuration) {
  Trial trial{.configuration = configuration, .sample_count = now_.sample_count, .failed = true};
  const auto lane = lanes_.empty() ? std::nullopt : lane_of(configuration);
  if (!lane || lanes_[*lane].failed)
    return trial;
  if (now_.block)
    score_block(trial, *lane);
  else if (now_.sample_count == 1)
    score_sample(trial, *lane);
  else
    score_samples(trial, *lane);
  return trial;
}

void CallMeter::score_sample(Trial &trial, std::size_t lane) const {
  const auto batches = record_.of(lane);
  trial.score = mean_of(batches);
  trial.failed = !(trial.score > 0);
  trial.weight = 0;
  for (const Sample &batch : batches)
    trial.weight += batch.weight;
  trial.cut_short = lanes_[lane].cut;
}

/// Scores are relative to the incumbent, so that drift cancels.
void CallMeter::score_samples(Trial &trial, std::size_t lane) {
  if (const double now = mean_of(record_.of(0)); now > 0)
    incumbent_score_ = now;
  const double incumbent = scale_.try_emplace(incumbent_, incumbent_score_).first->second;
  if (scale_.size() == 1)
    first_ = incumbent;
  trial.reference = first_;
  const auto [ours, incumbents] =
      lane == 0 ? CallRecord::Pairs{record_.of(0), record_.of(0)} : record_.pairs(lane);
  trial.failed = ours.empty() || !(incumbent > 0);
  if (trial.failed)
    return;
  const PairedTest test(total_of(ours), total_of(incumbents));
  trial.score = incumbent * (1 + test.mean());
  trial.error = incumbent * test.standard_error();
  trial.cut_short = lanes_[lane].cut;
  trial.sample_count = std::clamp<std::size_t>(ours.size() / options_.rounds, 1, now_.sample_count);
  scale_[trial.configuration] = trial.score;
}

/// A call that takes longer than a block also counts for the following blocks: no block is worse
/// than one in which no work was done.
void CallMeter::score_block(Trial &trial, std::size_t lane) {
  const Sample all = pending(lane);
  trial.failed = !(all.weight > 0);
  trial.score = all.score;
  trial.weight = block_ticks_ > 0 ? std::min(all.weight, block_ticks_) : all.weight;
  over_[trial.configuration] = {.score = all.score, .weight = all.weight - trial.weight};
}

void CallMeter::log_failure(const Configuration &configuration, const Failure &failure) const {
  rotation_->log("trial",
                 dump({{"configuration", nlohmann::ordered_json::parse(configuration.json())},
                       {"text", configuration.text()},
                       {"failed", true},
                       {"error", failure.text()}}));
}

} // namespace sartor
