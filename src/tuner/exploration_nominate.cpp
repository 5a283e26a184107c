// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Candidates of an exploration's race: all configurations, or those named by a search, by the parts
// of the program and by earlier explorations.
#include "tuner/exploration.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include <sartor/strategies.hpp>

#include "base/text/value_json.h"
#include "tuner/guarded.h"
#include "tuner/limits.h"
#include "tuner/parts/part.h"
#include "tuner/parts/partial_strategy.h"

namespace sartor {

/// Chooses the candidates of the race: all, or the best of a search. Hints are compiled and tried
/// first.
Exploration::Outcome Exploration::nominate(std::vector<Configuration> &field,
                                           const std::stop_token &stop) {
  std::vector<Configuration> hints = start_.hints;
  std::erase_if(hints, [&](const auto &hint) { return !may_be_tried(hint); });
  if (races_all_) {
    if (field.empty())
      field = space_.all();
    return make_ready({std::move(hints), field}, stop) ? Outcome::sure : Outcome::stopped;
  }
  if (!make_ready({hints, {}}, stop))
    return Outcome::stopped;
  std::unique_ptr<Strategy> strategy;
  if (options_.strategy) {
    strategy = users_strategy();
  } else {
    Configuration best;
    SearchSpace rest = space_;
    if (!explore_parts(best, rest, stop))
      return Outcome::stopped;
    if (rest.combinations() <= limits::most_raced) {
      field = std::move(hints);
      field.emplace_back();
      for (Configuration &configuration : rest.all())
        field.push_back(merged(std::move(configuration), best));
      return make_ready({{}, field}, stop) ? Outcome::sure : Outcome::stopped;
    }
    strategy = std::make_unique<PartialStrategy>(
        best, rest, local_search(rest, {options_.most_trials, start_.seed}));
  }
  const Outcome outcome = search(*strategy, false, stop);
  if (outcome == Outcome::sure) {
    field = best_few(*strategy);
    field.insert(field.end(), hints.begin(), hints.end());
  }
  return outcome;
}

/// Explores points of different handlers at the same time, by calls of these handlers. `best`
/// gets the best settings of each part, `rest` the points that calls cannot decide. Its cost to
/// the program counts against the budget, as that of compilations. False if stopped.
bool Exploration::explore_parts(Configuration &best, SearchSpace &rest,
                                const std::stop_token &stop) {
  if (start_.handlers.empty())
    return true;
  auto components = components_of(space_, start_.handlers);
  if (components.size() <= 1)
    return true;
  // In a rotation, a variant that breaks a bound could not be identified and ended.
  if (!objective_.bounds.empty()) {
    variants_.log("parts", dump({{"parts", 0}, {"error", "calls know nothing of bounds"}}));
    return true;
  }
  variants_.log("parts", dump({{"parts", components.size()}}));
  std::vector<std::unique_ptr<Part>> parts;
  for (Component &component : components)
    parts.push_back(std::make_unique<Part>(variants_, std::move(component), incumbent_, options_,
                                           start_.seed + parts.size()));
  const auto are_done = [&] {
    bool all = true;
    for (const auto &part : parts)
      all = part->look() && all;
    return all;
  };
  if (!meter_.wait_for(are_done, stop))
    return false;
  std::vector<Component> undecided;
  for (const auto &part : parts)
    if (part->problem().empty())
      best = merged(std::move(best), part->best());
    else
      undecided.push_back(part->component());
  rest = joined(undecided);
  return true;
}

/// Compiles one configuration after the other. Meanwhile, compiled ones are tried against the best
/// so far, so that a good one is active long before the last has been compiled. Nothing is tried if
/// the next is ready within one sample, as those are that were compiled before. False if stopped.
bool Exploration::make_ready(CompileOrder order, const std::stop_token &stop) {
  std::vector<Configuration> ready;
  for (auto next = order.next(); next || !compiles_.is_idle();) {
    if (next && compiles_.knows(*next)) {
      next = order.next();
    } else if (next && compiles_.has_room()) {
      if (!meter_.know_incumbent(stop))
        return false;
      compiles_.begin(*next);
      next = order.next();
    } else if (!compiles_.take_done(ready, order)) {
      bool is_any_done = false;
      int looks = 0;
      const auto is_time = [&] {
        is_any_done = compiles_.take_done(ready, order);
        return is_any_done || (++looks > 1 && !ready.empty());
      };
      if (!meter_.wait_for(is_time, stop) || (!is_any_done && !try_ready(ready, stop)))
        return false;
    }
  }
  return true;
}

/// Measures one trial of as many configurations as possible at once, each of which is tried once.
bool Exploration::try_ready(std::vector<Configuration> &ready, const std::stop_token &stop) {
  if (!know_score(limits::samples_when_ready, stop))
    return false;
  const auto count = std::min(ready.size(), meter_.most_at_once());
  const auto trials =
      meter_.measure(std::span(ready).first(count), limits::samples_when_ready, stop);
  ready.erase(ready.begin(), ready.begin() + static_cast<std::ptrdiff_t>(count));
  if (!trials)
    return false;
  for (const Trial &trial : *trials) {
    if (trial.failed)
      continue; // the race reports the failure
    trials_.add(trial);
    seconds_ += trial.seconds;
    bounds_.add(trial, false);
    adopt_if_better(trial);
  }
  return true;
}

std::unique_ptr<Strategy> Exploration::users_strategy() const {
  auto strategy = guarded([&] { return options_.strategy(space_); });
  if (!strategy)
    throw Error({ErrorCode::bad_objective, "strategy", "made no strategy",
                 "return one from ExplorerOptions::strategy"});
  return strategy;
}

/// The strategy's best, the configurations with the best trials, and the generic code.
std::vector<Configuration> Exploration::best_few(const Strategy &strategy) const {
  std::vector<std::pair<double, const Configuration *>> found;
  for (const auto &[configuration, scores] : scores_)
    if (scores.last)
      found.emplace_back(*scores.last, &configuration);
  std::ranges::sort(found, [](const auto &left, const auto &right) {
    return left.first != right.first ? left.first > right.first : *left.second < *right.second;
  });
  found.resize(std::min(found.size(), limits::most_finalists));
  std::vector<Configuration> few;
  const auto add = [&](const Configuration &configuration) {
    if (space_.allows(configuration))
      few.push_back(configuration);
  };
  add({});
  if (reported_ > 0)
    add(guarded([&] { return strategy.best(); }).configuration);
  for (const auto &[score, configuration] : found)
    add(*configuration);
  return few;
}

/// Candidates are left out of the race that trials have shown to be several times slower than the
/// incumbent: their samples cost the program the most. If all are, the best stays.
void Exploration::leave_out_hopeless(std::vector<Configuration> &field) const {
  // A slow candidate may be the only one that keeps a bound. A journal has no such trials, and the
  // order of those that it has must not depend on them.
  if (!objective_.bounds.empty() || start_.trial_store || field.empty())
    return;
  const auto score = [&](const Configuration &each) {
    return meter_.hopeless_score(each).value_or(std::numeric_limits<double>::infinity());
  };
  const Configuration best = *std::ranges::max_element(field, {}, score);
  std::erase_if(field, [&](const Configuration &each) {
    return each != best && meter_.hopeless_score(each);
  });
}

} // namespace sartor
