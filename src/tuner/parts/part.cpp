// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/parts/part.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <sartor/strategies.hpp>

#include "base/result.h"
#include "base/text/value_json.h"
#include "tuner/limits.h"

namespace sartor {

Part::Part(Variants &variants, Component component, const Configuration &active,
           const ExplorerOptions &options, std::uint64_t seed)
    : variants_(variants), component_(std::move(component)), options_(options), seed_(seed),
      active_(restricted(active, component_.space)), best_(active_) {
  if (component_.handlers.empty()) {
    end("no handler reaches these points");
    return;
  }
  try {
    for (const std::string &handler : component_.handlers)
      timed_.push_back({.meter = std::make_unique<CallMeter>(
                            variants_.rotate(handler),
                            CallMeter::Options{.regression_budget = options_.regression_budget,
                                               .error_probability = options_.error_probability,
                                               .tolerance = options_.tolerance,
                                               .longest_sample_time = options_.longest_sample_time,
                                               .rounds = limits::rounds_of_sample})});
  } catch (const Error &error) {
    end(error.what());
    return;
  }
  for (const Timed &timed : timed_)
    timed.meter->hold_against(active_);
  if (component_.space.combinations() > limits::most_raced)
    search_ = local_search(component_.space, {options_.most_trials, seed_});
  else
    next_strategy();
}

bool Part::look() {
  while (step_ != Step::done)
    if (!(step_ == Step::asking ? ask() : step_ == Step::compiling ? compile() : measure()))
      return false;
  return true;
}

/// Starts the race, which is the last strategy. The active configuration comes first, so that it is
/// preferred among equals.
void Part::next_strategy() {
  std::vector<Configuration> candidates = search_ ? finalists() : component_.space.all();
  candidates.insert(candidates.begin(), active_);
  search_.reset();
  seconds_ = 0;
  race_ = std::make_unique<Race>(
      std::move(candidates),
      RaceOptions{options_.error_probability, options_.tolerance, options_.most_samples, seed_});
}

std::vector<Configuration> Part::finalists() const {
  std::vector<std::pair<double, Configuration>> found;
  for (const auto &[configuration, score] : scores_)
    found.emplace_back(-score, configuration);
  std::ranges::sort(found);
  found.resize(std::min(found.size(), limits::most_finalists));
  std::vector<Configuration> few{Configuration()};
  for (auto &[score, configuration] : found)
    few.push_back(std::move(configuration));
  return few;
}

bool Part::ask() {
  batch_.clear();
  compiles_.clear();
  const std::size_t most = race_ ? timed_.front().meter->most_at_once() : limits::searched_at_once;
  while (batch_.size() < most && !is_late()) {
    auto next = race_ ? race_->ask() : search_->ask();
    if (!next)
      break;
    batch_.push_back(std::move(*next));
  }
  if (batch_.empty()) {
    if (race_)
      end_race();
    else
      next_strategy();
    return true;
  }
  for (const Configuration &configuration : batch_)
    prepare(configuration);
  step_ = Step::compiling;
  return true;
}

bool Part::is_late() const {
  return seconds_ >
         limits::longest_part * std::chrono::duration<double>(options_.confirm_for).count();
}

void Part::prepare(const Configuration &configuration) {
  compiles_.emplace_back();
  try {
    if (!compiled_.contains(configuration))
      compiles_.back() = variants_.prepare(configuration);
  } catch (const Error &error) {
    refuse(configuration, error);
  }
}

void Part::refuse(const Configuration &configuration, const Error &error) {
  compiled_.emplace(configuration, false);
  variants_.log("trial",
                dump({{"configuration", nlohmann::ordered_json::parse(configuration.json())},
                      {"text", configuration.text()},
                      {"failed", true},
                      {"error", error.what()}}));
}

/// Times the calls of all configurations of the batch when they have been compiled.
bool Part::compile() {
  for (std::size_t i = 0; i < batch_.size(); ++i)
    try {
      if (!compiled_.contains(batch_[i]) && compiles_[i]())
        compiled_.emplace(batch_[i], true);
    } catch (const Error &error) {
      refuse(batch_[i], error);
    }
  if (!std::ranges::all_of(batch_, [&](const auto &each) { return compiled_.contains(each); }))
    return false;
  for (const Configuration &configuration : batch_)
    if (!compiled_.at(configuration))
      tell({.configuration = configuration, .failed = true});
  std::erase_if(batch_, [&](const auto &each) { return !compiled_.at(each); });
  begin();
  return true;
}

void Part::begin() {
  step_ = batch_.empty() ? Step::asking : Step::measuring;
  const std::size_t sample_count = race_ ? race_->sample_count() : search_->sample_count();
  for (std::size_t i = 0; i < timed_.size() && !batch_.empty(); ++i)
    timed_[i].meter->begin(batch_, sample_count);
}

bool Part::measure() {
  bool is_over = true;
  for (const Timed &timed : timed_)
    is_over = timed.meter->look() && is_over;
  if (!is_over)
    return false;
  step_ = Step::asking;
  if (reported_ == 0)
    weigh();
  if (timed_.empty()) {
    end("is called too seldom, or not at all");
    return true;
  }
  for (const Trial &trial : results()) {
    seconds_ += trial.seconds;
    ++reported_;
    tell(trial);
  }
  if (std::ranges::any_of(timed_, [](const Timed &timed) { return timed.meter->is_silent(); }))
    end("is not called any more");
  return true;
}

/// Computes how often each handler is called relative to the others. A handler that is not called
/// is ignored.
void Part::weigh() {
  double all = 0;
  for (Timed &timed : timed_)
    if (const auto calls = timed.meter->calls())
      all += timed.often = static_cast<double>(calls->count) /
                           std::chrono::duration<double>(timed.meter->now() - calls->since).count();
  std::erase_if(timed_, [](const Timed &timed) { return timed.meter->is_silent(); });
  for (Timed &timed : timed_)
    timed.often = all > 0 ? timed.often / all : 1;
}

std::vector<Trial> Part::results() {
  std::vector<Trial> trials = timed_.front().meter->finish();
  if (timed_.size() == 1)
    return trials;
  // Cost of the calls of all handlers, weighted by their frequency.
  const auto cost = [](const Timed &timed, const Trial &trial) {
    return trial.failed ? HUGE_VAL : timed.often / trial.score;
  };
  std::vector<double> costs, squares;
  for (const Trial &trial : trials) {
    costs.push_back(cost(timed_.front(), trial));
    squares.push_back(std::pow(costs.back() * trial.error / trial.score, 2));
  }
  for (std::size_t i = 1; i < timed_.size(); ++i) {
    const std::vector<Trial> more = timed_[i].meter->finish();
    for (std::size_t k = 0; k < more.size(); ++k) {
      const double each = cost(timed_[i], more[k]);
      costs[k] += each;
      squares[k] += std::pow(each * more[k].error / more[k].score, 2);
      trials[k].cut_short = trials[k].cut_short || more[k].cut_short;
    }
  }
  for (std::size_t k = 0; k < trials.size(); ++k) {
    trials[k].failed = !std::isfinite(costs[k]);
    trials[k].score = 1 / costs[k];
    trials[k].weight = costs[k];
    trials[k].error = std::sqrt(squares[k]) / (costs[k] * costs[k]);
  }
  return trials;
}

void Part::tell(const Trial &trial) {
  if (race_)
    race_->tell(trial);
  else
    search_->tell(trial);
  if (!race_ && !trial.failed && !trial.cut_short)
    scores_[trial.configuration] = trial.score;
}

void Part::end_race() {
  const Decision found = race_->best();
  if (found.estimate.windows == 0)
    return end("none of them could be measured");
  if (found.estimate.windows < limits::fewest_samples_of_part && race_->ask())
    return end("is called too seldom: " + std::to_string(found.estimate.windows) +
               " slices of its calls in " + std::to_string(std::lround(seconds_)) + " s");
  if (const auto better = race_->best_ahead_of(active_))
    best_ = *better;
  else if (!component_.space.allows(active_)) // the active configuration is not allowed, so it
                                              // cannot stay
    best_ = found.configuration;
  end({});
}

void Part::end(std::string problem) {
  problem_ = std::move(problem);
  step_ = Step::done;
  timed_.clear(); // ends their rotations
  std::string handlers;
  for (const std::string &handler : component_.handlers)
    handlers += (handlers.empty() ? "" : ", ") + handler;
  nlohmann::ordered_json fields{
      {"handlers", handlers}, {"configurations", component_.space.combinations()},
      {"text", best_.text()}, {"active", active_.text()},
      {"trials", reported_},  {"seconds", seconds_}};
  if (!problem_.empty())
    fields["error"] = problem_;
  variants_.log("part", dump(fields));
}

} // namespace sartor
