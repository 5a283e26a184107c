// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/candidates.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "point/fit.h"

namespace sartor {

namespace {

bool specializable(const Point &point) {
  return point.sites.empty() ||
         std::ranges::any_of(point.sites, [](const Site &site) { return site.problem.empty(); });
}

/// Known without listing a range's values, of which there may be 2^64.
bool too_many(const Point &point) {
  return point.kind == PointKind::range && point.choices[0].is_integer() &&
         point.choices[0] <= point.choices[1] &&
         point.choices[1].bits() - point.choices[0].bits() >= most_candidates;
}

std::unexpected<Failure> too_many_candidates(const std::string &label) {
  return std::unexpected(Failure{
      ErrorCode::bad_objective, label,
      "with this point there are more than " + std::to_string(most_candidates) + " candidates",
      "give fewer values in ExplorerOptions::choices, or none to leave a point alone"});
}

} // namespace

Result<std::vector<Configuration>>
make_candidates(const Space &space, const std::map<std::string, std::vector<Value>> &choices,
                const std::set<std::string> &without_guard) {
  for (const std::string &label : without_guard)
    if (!space.find(label))
      return std::unexpected(unknown_label(label, space));
  Configuration fitted;
  for (const auto &[label, values] : choices) {
    if (!space.find(label))
      return std::unexpected(unknown_label(label, space));
    std::vector<Value> fitting; // each by itself: some points cannot be set to several at once
    for (const Value &value : values) {
      const auto one = fit({{label, value}}, space);
      if (!one)
        return std::unexpected(one.error());
      fitting.push_back(one->find(label)->values.front());
    }
    if (!fitting.empty())
      fitted.set(label, Setting(std::move(fitting)));
  }

  std::vector<Configuration> candidates(1);
  for (const Point &point : space.points()) {
    if (!specializable(point))
      continue;
    std::vector<Value> values;
    if (const Setting *setting = fitted.find(point.label))
      values = setting->values;
    else if (!choices.contains(point.label)) {
      if (too_many(point))
        return too_many_candidates(point.label);
      values = point.values();
    }
    if (candidates.size() * (values.size() + 1) > most_candidates)
      return too_many_candidates(point.label);
    const std::size_t without = candidates.size();
    const bool guarded = !without_guard.contains(point.label);
    for (const Value &value : values)
      for (std::size_t i = 0; i < without; ++i)
        candidates.push_back(
            Configuration(candidates[i]).set(point.label, Setting({value}, guarded)));
  }
  return candidates;
}

} // namespace sartor
