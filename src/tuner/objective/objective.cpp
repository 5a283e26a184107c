// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/objective.hpp>

#include <limits>
#include <memory>
#include <numeric>
#include <sstream>
#include <utility>
#include <vector>

#include "base/result.h"
#include "tuner/objective/check.h"
#include "tuner/objective/energy.h"

namespace sartor {

Objective Objective::rate_of(const std::atomic<std::uint64_t> &counter, std::string name,
                             std::string unit) {
  return {
      .read = [&counter] { return static_cast<double>(counter.load(std::memory_order_relaxed)); },
      .kind = Kind::counter,
      .direction = Direction::higher_is_better,
      .name = std::move(name),
      .unit = std::move(unit)};
}

Objective Objective::value_of(std::function<double()> function, Direction direction,
                              std::string name, std::string unit) {
  return {.read = std::move(function),
          .kind = Kind::gauge,
          .direction = direction,
          .name = std::move(name),
          .unit = std::move(unit)};
}

Objective Objective::cost_per(std::function<double()> cost, std::function<double()> per,
                              std::string name, std::string unit) {
  return {.read = std::move(cost),
          .kind = Kind::ratio,
          .direction = Direction::lower_is_better,
          .name = std::move(name),
          .unit = std::move(unit),
          .per = std::move(per)};
}

Objective Objective::energy_per(std::function<double()> per, std::string name) {
  auto energy = std::make_shared<Energy>(or_throw(Energy::open()));
  return cost_per([energy = std::move(energy)] { return energy->joules(); }, std::move(per),
                  std::move(name), "J");
}

Objective Objective::cost_of_call(std::string handler) {
  std::string name = handler.empty() ? "cost of a call" : "cost of a call of " + handler;
  return {.read = {},
          .kind = Kind::call,
          .direction = Direction::lower_is_better,
          .name = std::move(name),
          .unit = "ticks",
          .handler = std::move(handler)};
}

Objective Objective::percentile_of(const Histogram &histogram, double percent, std::string name) {
  return percentile_of(
      Buckets{.bounds = Histogram::bounds(), .counts = [&histogram] { return histogram.counts(); }},
      percent, std::move(name));
}

Objective Objective::percentile_of(Buckets buckets, double percent, std::string name,
                                   std::string unit) {
  auto all = [counts = buckets.counts] {
    const std::vector<std::uint64_t> now = counts();
    return static_cast<double>(std::accumulate(now.begin(), now.end(), std::uint64_t{0}));
  };
  std::ostringstream which;
  which << 'p' << percent << " of " << name;
  Objective objective{.read = std::move(all),
                      .kind = Kind::percentile,
                      .direction = Direction::lower_is_better,
                      .name = which.str(),
                      .unit = std::move(unit)};
  objective.buckets = std::move(buckets);
  objective.percent = percent;
  return objective;
}

Objective Objective::weighted(const std::vector<Weighted> &members) {
  or_throw(check_members(members));
  double all = 0;
  for (const Weighted &member : members)
    all += member.weight;
  Objective together = members.front().of;
  together.unit.clear();
  together.bounds.clear();
  std::ostringstream name;
  for (const auto &[of, weight] : members) {
    name << (name.str().empty() ? "" : " × ") << of.name << '^' << weight / all;
    together.bounds.insert(together.bounds.end(), of.bounds.begin(), of.bounds.end());
    together.quantities.push_back({std::make_shared<const Objective>(of), weight / all});
  }
  together.name = name.str();
  return together;
}

Objective Objective::subject_to(Objective other, Limits limits) const {
  other.bounds.clear();
  const auto of = std::make_shared<const Objective>(std::move(other));
  Objective bounded = *this;
  if (limits.least)
    bounded.bounds.push_back({of, *limits.least, false});
  // Without any limit, the bound is one that the explorer refuses.
  if (limits.most || !limits.least)
    bounded.bounds.push_back(
        {of, limits.most.value_or(std::numeric_limits<double>::quiet_NaN()), true});
  return bounded;
}

} // namespace sartor
