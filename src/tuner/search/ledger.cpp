// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/search/ledger.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <sartor/error.hpp>

#include "tuner/evidence/interval.h"
#include "tuner/limits.h"

namespace sartor {

using Place = SearchSpace::Place;

namespace {

/// Of several trials of one place.
Outcome combined(const Outcome &before, const Outcome &now) {
  if (before.failed || now.failed)
    return now;
  // Where nothing is known of the errors, slices stand for precision.
  const bool known = before.error > 0 && now.error > 0;
  const double old_weight =
      known ? 1 / (before.error * before.error) : static_cast<double>(before.slices);
  const double new_weight = known ? 1 / (now.error * now.error) : static_cast<double>(now.slices);
  const double weight = old_weight + new_weight;
  if (!(weight > 0))
    return now;
  return {.score = (old_weight * before.score + new_weight * now.score) / weight,
          .error = known ? std::sqrt(1 / weight) : std::max(before.error, now.error),
          .slices = before.slices + now.slices,
          .cut_short = before.cut_short && now.cut_short};
}

/// What is known of one that was cut short is only that it is no better than another.
bool is_better(const Outcome &a, const Outcome &b) {
  return std::pair(!a.cut_short, a.score) > std::pair(!b.cut_short, b.score);
}

} // namespace

Gain gain(const Outcome &from, const Outcome &to) {
  const bool have_ratio = (from.score > 0) == (to.score > 0) && from.score != 0 && to.score != 0;
  if (have_ratio)
    return {advantage(to.score, from.score),
            std::hypot(from.error / from.score, to.error / to.score)};
  const double size = (std::fabs(from.score) + std::fabs(to.score)) / 2;
  if (!(size > 0))
    return {};
  return {(to.score - from.score) / size, std::hypot(from.error, to.error) / size};
}

Ledger::Ledger(SearchSpace space, std::size_t most_trials)
    : space_(std::move(space)), left_(most_trials) {}

bool Ledger::is_new(const Place &place) const {
  return !outcomes_.contains(place) && space_.allows(place);
}

std::optional<Place> Ledger::random_new(std::mt19937_64 &generator) const {
  for (int attempt = 0; attempt < limits::attempts_at_untried; ++attempt)
    if (Place place = space_.random(generator); is_new(place))
      return place;
  std::vector<Place> left;
  try {
    for (const Configuration &configuration : space_.all(limits::most_listed))
      if (Place place = space_.place_of(configuration).value(); !outcomes_.contains(place))
        left.push_back(std::move(place));
  } catch (const Error &) { // Too many to be listed.
  }
  if (left.empty())
    return std::nullopt;
  return left[std::uniform_int_distribution<std::size_t>(0, left.size() - 1)(generator)];
}

Configuration Ledger::ask(const Place &place) {
  --left_;
  outcomes_.try_emplace(place);
  return space_.at(place);
}

std::optional<Place> Ledger::tell(const Trial &trial) {
  const auto place = space_.place_of(trial.configuration);
  if (!place)
    return std::nullopt;
  Outcome now{.score = trial.score,
              .error = std::isfinite(trial.error) ? std::fabs(trial.error) : 0,
              .slices = trial.slices,
              .failed = trial.failed || !std::isfinite(trial.score),
              .cut_short = trial.cut_short};
  auto &outcome = outcomes_[*place];
  outcome = outcome ? combined(*outcome, now) : now;
  best_.reset();
  const Outcome *best = nullptr;
  for (const auto &[other, result] : outcomes_)
    if (result && !result->failed && (!best || is_better(*result, *best)))
      best = &*result, best_ = other;
  return place;
}

const Outcome *Ledger::find(const Place &place) const {
  const auto found = outcomes_.find(place);
  return found != outcomes_.end() && found->second ? &*found->second : nullptr;
}

bool Ledger::is_waiting() const {
  return std::ranges::any_of(outcomes_, [](const auto &entry) { return !entry.second; });
}

Decision Ledger::best() const {
  if (!best_)
    return {};
  const Outcome &outcome = *find(*best_);
  const double radius = limits::interval_errors * outcome.error;
  return {space_.at(*best_), Estimate{.mean = outcome.score,
                                      .low = outcome.score - radius,
                                      .high = outcome.score + radius,
                                      .windows = outcome.slices}};
}

} // namespace sartor
