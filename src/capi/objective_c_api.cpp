// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C interface: objectives and histograms.
#include "capi/c_api.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <new>
#include <string>
#include <utility>
#include <vector>

using sartor::guarded;
using sartor::need;
using sartor::need_list;

struct sartor_histogram {
  sartor::Histogram histogram;
};

namespace {

std::string or_default(const char *text, const char *otherwise) { return text ? text : otherwise; }

std::function<double()> bound(double (*function)(void *), void *user) {
  if (!function)
    return {};
  return [function, user] { return function(user); };
}

sartor::Objective percentile_of(const sartor_objective &given) {
  const double percent = given.percent == 0 ? 99 : given.percent;
  const std::string name = or_default(given.name, "latency");
  if (given.histogram)
    return sartor::Objective::percentile_of(given.histogram->histogram, percent, name);
  sartor::Buckets buckets;
  need_list(given.bounds, given.bound_count, "bounds");
  if (given.bounds)
    buckets.bounds.assign(given.bounds, given.bounds + given.bound_count);
  if (given.counts)
    buckets.counts = [counts = given.counts, user = given.user, count = given.bound_count + 1] {
      std::vector<std::uint64_t> now(count);
      counts(user, now.data());
      return now;
    };
  return sartor::Objective::percentile_of(std::move(buckets), percent, name,
                                          or_default(given.unit, "s"));
}

sartor::Objective weighted(const sartor_objective &given) {
  std::vector<sartor::Weighted> members;
  need_list(given.weighted, given.weighted_count, "weighted");
  for (std::size_t i = 0; i < given.weighted_count; ++i) {
    if (!given.weighted[i].of)
      throw sartor::Error({sartor::ErrorCode::bad_objective, "weighted", "a weight is of nothing",
                           "give sartor_weighted::of"});
    members.push_back({objective_of(*given.weighted[i].of), given.weighted[i].weight});
  }
  return sartor::Objective::weighted(members);
}

sartor::Objective unbounded(const sartor_objective &given) {
  using Kind = sartor::Objective::Kind;
  using Direction = sartor::Objective::Direction;
  if (given.kind == SARTOR_PERCENTILE)
    return percentile_of(given);
  if (given.kind == SARTOR_CALL)
    return sartor::Objective::cost_of_call(or_default(given.handler, ""));
  if (given.kind == SARTOR_WEIGHTED)
    return weighted(given);
  if (given.kind == SARTOR_ENERGY)
    return sartor::Objective::energy_per(bound(given.per, given.user),
                                         or_default(given.name, "energy per request"));
  if (given.kind != SARTOR_COUNTER && given.kind != SARTOR_GAUGE && given.kind != SARTOR_RATIO)
    throw sartor::Error({sartor::ErrorCode::bad_objective, "kind",
                         std::to_string(static_cast<unsigned>(given.kind)) + " is no kind",
                         "give one of sartor_objective_kind"});
  sartor::Objective objective;
  objective.kind = given.kind == SARTOR_COUNTER ? Kind::counter
                   : given.kind == SARTOR_RATIO ? Kind::ratio
                                                : Kind::gauge;
  objective.direction =
      given.lower_is_better ? Direction::lower_is_better : Direction::higher_is_better;
  objective.read = bound(given.read, given.user);
  objective.per = bound(given.per, given.user);
  objective.cost = bound(given.cost, given.user);
  objective.name = or_default(given.name, "objective");
  objective.unit = or_default(given.unit, given.kind == SARTOR_COUNTER ? "1/s" : "");
  return objective;
}

} // namespace

sartor::Objective objective_of(const sartor_objective &given) {
  sartor::Objective objective = unbounded(given);
  need_list(given.subject_to, given.subject_to_count, "subject_to");
  for (std::size_t i = 0; i < given.subject_to_count; ++i) {
    const sartor_bound &bound = given.subject_to[i];
    if (!bound.of)
      throw sartor::Error({sartor::ErrorCode::bad_objective, "subject_to", "a bound is of nothing",
                           "give sartor_bound::of"});
    sartor::Limits limits;
    if (bound.least != 0)
      limits.least = bound.least;
    if (bound.most != 0)
      limits.most = bound.most;
    objective = objective.subject_to(unbounded(*bound.of), limits);
  }
  return objective;
}

extern "C" {

sartor_histogram *sartor_histogram_make() {
  try {
    return new sartor_histogram;
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

void sartor_histogram_record(sartor_histogram *histogram, uint64_t nanoseconds) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  if (histogram)
    histogram->histogram.record(
        std::chrono::nanoseconds(static_cast<std::int64_t>(std::min(nanoseconds, most))));
}

void sartor_histogram_record_seconds(sartor_histogram *histogram, double seconds) {
  if (histogram)
    histogram->histogram.record_seconds(seconds);
}

const double *sartor_histogram_bounds(size_t *count) {
  const double *found = nullptr;
  (void)guarded([&] {
    need(count, "count");
    const std::vector<double> &bounds = sartor::Histogram::bounds();
    *count = bounds.size();
    found = bounds.data();
  });
  return found;
}

sartor_status sartor_histogram_counts(const sartor_histogram *histogram, uint64_t *counts) {
  return guarded([&] {
    need(histogram, "histogram", counts, "counts");
    std::ranges::copy(histogram->histogram.counts(), counts);
  });
}

void sartor_histogram_free(sartor_histogram *histogram) { delete histogram; }
}
