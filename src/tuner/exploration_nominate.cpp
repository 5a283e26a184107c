// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whom an exploration races: all, or whom a search, the parts of the program and earlier
// explorations name.
#include "tuner/exploration.h"

#include <algorithm>
#include <span>
#include <utility>

#include <sartor/strategies.hpp>

#include "base/value_json.h"
#include "tuner/guarded.h"
#include "tuner/limits.h"
#include "tuner/parts/beside.h"
#include "tuner/parts/parts.h"

namespace sartor {

/// Those that are raced: all, or what is found to be good; the hints before anything else.
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
    strategy = std::make_unique<Beside>(best, rest,
                                        local_search(rest, {options_.most_trials, start_.seed}));
  }
  const Outcome outcome = search(*strategy, false, stop);
  if (outcome == Outcome::sure) {
    field = best_few(*strategy);
    field.insert(field.end(), hints.begin(), hints.end());
  }
  return outcome;
}

/// Points of different handlers are explored at the same time, by those's calls: what is best for
/// each, and what calls cannot tell of. What that costs the program is paid for as compiles are.
/// False if stopped.
bool Exploration::explore_parts(Configuration &best, SearchSpace &rest,
                                const std::stop_token &stop) {
  if (start_.handlers.empty())
    return true;
  auto components = components_of(space_, start_.handlers);
  if (components.size() <= 1)
    return true;
  // In a rotation, nobody could tell which variant breaks a bound, and end it.
  if (!objective_.bounds.empty()) {
    variants_.log("parts", dump({{"parts", 0}, {"error", "calls know nothing of bounds"}}));
    return true;
  }
  variants_.log("parts", dump({{"parts", components.size()}}));
  Parts parts(variants_, std::move(components), incumbent_, options_, start_.seed);
  if (!meter_.wait_for([&] { return parts.look(); }, stop))
    return false;
  best = parts.best();
  rest = joined(parts.rest());
  return true;
}

/// Compiles one after the other. While the next ones are being compiled, those that are there are
/// tried against the best so far: a good one is in force long before the last has come. False if
/// stopped.
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
      const auto is_any_done = [&] { return compiles_.take_done(ready, order); };
      if (!(ready.empty() ? meter_.wait_for(is_any_done, stop) : try_ready(ready, stop)))
        return false;
    }
  }
  return true;
}

/// A trial of as many as can be had at once, of which each is tried once.
bool Exploration::try_ready(std::vector<Configuration> &ready, const std::stop_token &stop) {
  if (!know_score(limits::slices_when_ready, stop))
    return false;
  const auto count = std::min(ready.size(), meter_.most_at_once());
  const auto trials =
      meter_.measure(std::span(ready).first(count), limits::slices_when_ready, stop);
  ready.erase(ready.begin(), ready.begin() + static_cast<std::ptrdiff_t>(count));
  if (!trials)
    return false;
  for (const Trial &trial : *trials) {
    if (trial.failed)
      continue; // which is told when it is raced
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

/// What the strategy says is best, those with the best trials, and the generic code.
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
  if (told_ > 0)
    add(guarded([&] { return strategy.best(); }).configuration);
  for (const auto &[score, configuration] : found)
    add(*configuration);
  return few;
}

} // namespace sartor
