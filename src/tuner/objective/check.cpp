// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/objective/check.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <sstream>
#include <vector>

namespace sartor {

namespace {

Result<void> check_percentile(const Objective &objective) {
  if (objective.kind != Objective::Kind::percentile)
    return {};
  const auto bad = [&](const char *message, const char *remedy) {
    return std::unexpected(Failure{ErrorCode::bad_objective, objective.name, message, remedy});
  };
  if (!(objective.percent > 0 && objective.percent < 100))
    return bad("its percent is not between 0 and 100", "give e.g. 99");
  const auto &bounds = objective.buckets.bounds;
  if (!objective.buckets.counts)
    return bad("the histogram has no function to read it", "give Buckets::counts");
  if (bounds.empty() ||
      std::ranges::adjacent_find(bounds, std::ranges::greater_equal()) != bounds.end() ||
      !std::ranges::all_of(bounds, [](double bound) { return std::isfinite(bound); }))
    return bad("its bounds are none, or not in ascending order", "give the largest value of each "
                                                                 "bucket but the last");
  if (objective.buckets.counts().size() != bounds.size() + 1)
    return bad("it does not have one count more than it has bounds",
               "count what is beyond the last bound in a bucket of its own");
  return {};
}

bool has_no_function(const Objective &objective) {
  return !objective.read || (objective.kind == Objective::Kind::ratio && !objective.per);
}

Result<void> check_bound(const Bound &bound) {
  const auto bad = [&](const char *message, const char *remedy) {
    return std::unexpected(
        Failure{ErrorCode::bad_objective, bound.of ? bound.of->name : "bounds", message, remedy});
  };
  if (!bound.of)
    return bad("a bound is of nothing", "set Bound::of, or use Objective::subject_to()");
  if (!bound.of->quantities.empty())
    return bad("a bound cannot be of a weighted objective", "bound each of its quantities");
  if (bound.of->kind == Objective::Kind::call)
    return bad("the cost of a call cannot be a bound", "use Objective::percentile_of()");
  if (has_no_function(*bound.of))
    return bad("a bound has no function to read it", "set it");
  if (!(bound.limit > 0 && std::isfinite(bound.limit)))
    return bad("a bound has no limit, or one that is not positive", "give Limits::most or least");
  if (bound.of->kind == Objective::Kind::percentile && !bound.is_most)
    return bad("a percentile can be bounded from above only", "give Limits::most");
  return check_percentile(*bound.of);
}

} // namespace

Result<void> check_quantities(const Objective &objective) {
  if (!objective.bounds.empty() && objective.kind == Objective::Kind::call)
    return std::unexpected(
        Failure{ErrorCode::bad_objective, "bounds",
                "cannot be had of the cost of calls, whose variants run side by side",
                "use Objective::rate_of(), cost_per() or percentile_of()"});
  if (auto good = check_percentile(objective); !good)
    return good;
  for (const Quantity &quantity : objective.quantities) {
    if (!quantity.of)
      return std::unexpected(Failure{ErrorCode::bad_objective, "quantities",
                                     "a quantity is of nothing",
                                     "set Quantity::of, or use Objective::weighted()"});
    if (has_no_function(*quantity.of))
      return std::unexpected(Failure{ErrorCode::bad_objective, quantity.of->name,
                                     "a quantity has no function to read it", "set it"});
    if (auto good = check_percentile(*quantity.of); !good)
      return good;
  }
  for (const Bound &bound : objective.bounds)
    if (auto good = check_bound(bound); !good)
      return good;
  return {};
}

Result<void> check_members(std::span<const Weighted> members) {
  const auto bad = [](const std::string &subject, const char *message, const char *remedy) {
    return std::unexpected(Failure{ErrorCode::bad_objective, subject, message, remedy});
  };
  if (members.size() < 2)
    return bad("weighted", "has less than two quantities", "give two or more");
  for (const auto &[of, weight] : members) {
    if (!(weight > 0 && std::isfinite(weight)))
      return bad(of.name, "a weight is not positive", "give the better one the larger weight");
    if (!of.quantities.empty())
      return bad(of.name, "a quantity is weighted itself", "give all quantities in one list");
    if (of.kind == Objective::Kind::call)
      return bad(of.name, "the cost of a call cannot be weighted, as variants run side by side",
                 "use Objective::rate_of(), cost_per() or percentile_of()");
  }
  return {};
}

bool has_negated_scores(const Objective &objective) {
  return objective.direction == Objective::Direction::lower_is_better &&
         objective.quantities.empty() && objective.kind != Objective::Kind::call &&
         objective.kind != Objective::Kind::percentile;
}

bool is_trial_of(const Objective &objective, const Trial &trial) {
  if (trial.failed)
    return true;
  const auto has_buckets = [](const Objective &of, const std::vector<BucketCount> &requests) {
    return of.kind != Objective::Kind::percentile ||
           std::ranges::all_of(requests, [&](const BucketCount &each) {
             return each.bucket <= of.buckets.bounds.size();
           });
  };
  if (!std::isfinite(trial.score) || !std::isfinite(trial.weight) ||
      !has_buckets(objective, trial.requests) ||
      trial.quantities.size() != objective.quantities.size() ||
      trial.bounds.size() != objective.bounds.size() ||
      (trial.breaks && *trial.breaks >= objective.bounds.size()))
    return false;
  for (std::size_t i = 0; i < trial.quantities.size(); ++i)
    if (!has_buckets(*objective.quantities[i].of, trial.quantities[i].requests))
      return false;
  return true;
}

std::string description_of(const Objective &objective) {
  std::ostringstream description;
  description << objective.name;
  // In a journal whose description lacks this, scores of such objectives are 1/value.
  if (has_negated_scores(objective))
    description << " (scores are -value)";
  for (const Bound &bound : objective.bounds)
    description << ", " << bound.of->name << (bound.is_most ? " <= " : " >= ") << bound.limit;
  return description.str();
}

Result<void> check(const Objective &objective) {
  const auto bad = [](const char *subject, const char *message, const char *remedy) {
    return std::unexpected(Failure{ErrorCode::bad_objective, subject, message, remedy});
  };
  if (!objective.read && objective.kind != Objective::Kind::call)
    return bad("read", "the objective has no function to read it",
               "set it, or use Objective::rate_of() or value_of()");
  if (!objective.per && objective.kind == Objective::Kind::ratio)
    return bad("per", "the ratio has nothing to be by", "set it, or use Objective::cost_per()");
  return check_quantities(objective);
}

} // namespace sartor
