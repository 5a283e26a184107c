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

using Coordinates = SearchSpace::Coordinates;

namespace {

/// Combines several trials of the same coordinates.
Outcome combined(const Outcome &before, const Outcome &now) {
  if (before.failed || now.failed)
    return now;
  // If an error is not known, the number of samples stands for the precision.
  const bool known = before.error > 0 && now.error > 0;
  const double old_weight =
      known ? 1 / (before.error * before.error) : static_cast<double>(before.sample_count);
  const double new_weight =
      known ? 1 / (now.error * now.error) : static_cast<double>(now.sample_count);
  const double weight = old_weight + new_weight;
  if (!(weight > 0))
    return now;
  return {.score = (old_weight * before.score + new_weight * now.score) / weight,
          .error = known ? std::sqrt(1 / weight) : std::max(before.error, now.error),
          .sample_count = before.sample_count + now.sample_count,
          .cut_short = before.cut_short && now.cut_short};
}

/// A trial that was cut short only shows that it is no better than another.
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

bool Ledger::is_new(const Coordinates &coordinates) const {
  return !outcomes_.contains(coordinates) && space_.allows(coordinates);
}

std::optional<Coordinates> Ledger::random_new(std::mt19937_64 &generator) const {
  for (int attempt = 0; attempt < limits::attempts_at_untried; ++attempt)
    if (Coordinates coordinates = space_.random(generator); is_new(coordinates))
      return coordinates;
  std::vector<Coordinates> left;
  try {
    for (const Configuration &configuration : space_.all(limits::most_listed))
      if (Coordinates coordinates = space_.coordinates_of(configuration).value();
          !outcomes_.contains(coordinates))
        left.push_back(std::move(coordinates));
  } catch (const Error &) { // there are too many to be listed
  }
  if (left.empty())
    return std::nullopt;
  return left[std::uniform_int_distribution<std::size_t>(0, left.size() - 1)(generator)];
}

Configuration Ledger::ask(const Coordinates &coordinates) {
  --left_;
  outcomes_.try_emplace(coordinates);
  return space_.at(coordinates);
}

std::optional<Coordinates> Ledger::tell(const Trial &trial) {
  const auto coordinates = space_.coordinates_of(trial.configuration);
  if (!coordinates)
    return std::nullopt;
  Outcome now{.score = trial.score,
              .error = std::isfinite(trial.error) ? std::fabs(trial.error) : 0,
              .sample_count = trial.sample_count,
              .failed = trial.failed || !std::isfinite(trial.score),
              .cut_short = trial.cut_short};
  auto &outcome = outcomes_[*coordinates];
  outcome = outcome ? combined(*outcome, now) : now;
  best_.reset();
  const Outcome *best = nullptr;
  for (const auto &[other, result] : outcomes_)
    if (result && !result->failed && (!best || is_better(*result, *best)))
      best = &*result, best_ = other;
  return coordinates;
}

const Outcome *Ledger::find(const Coordinates &coordinates) const {
  const auto found = outcomes_.find(coordinates);
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
                                      .windows = outcome.sample_count}};
}

} // namespace sartor
