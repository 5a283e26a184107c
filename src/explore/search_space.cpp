// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/search_space.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include "observe/result.h"
#include "point/fit.h"

namespace sartor {

namespace {

/// Settings that one dimension may have; a range of 2^64 values is not listed.
constexpr std::uint64_t most_settings = 4096;

bool specializable(const Point &point) {
  return point.sites.empty() ||
         std::ranges::any_of(point.sites, [](const Site &site) { return site.problem.empty(); });
}

bool too_many(const Point &point) {
  return point.kind == PointKind::range && point.choices[0].is_integer() &&
         point.choices[0] <= point.choices[1] &&
         point.choices[1].bits() - point.choices[0].bits() >= most_settings;
}

/// Each by itself: some points cannot be set to several values at once.
Result<std::vector<Value>> fit_each(const std::string &label, const std::vector<Value> &values,
                                    const Space &space) {
  std::vector<Value> fitting;
  for (const Value &value : values) {
    const auto one = fit({{label, value}}, space);
    if (!one)
      return std::unexpected(one.error());
    fitting.push_back(one->find(label)->values.front());
  }
  return fitting;
}

Dimension dimension_of(const Point &point, std::vector<Value> values, bool guarded) {
  std::ranges::sort(values);
  const auto repeated = std::ranges::unique(values);
  values.erase(repeated.begin(), repeated.end());
  Dimension dimension{.label = point.label, .settings = {}};
  dimension.is_ordered =
      point.kind != PointKind::custom && std::ranges::none_of(values, &Value::is_symbol);
  for (Value &value : values)
    dimension.settings.push_back(Setting({std::move(value)}, guarded));
  return dimension;
}

} // namespace

SearchSpace::SearchSpace(std::vector<Dimension> dimensions, Constraints constraints)
    : dimensions_(std::move(dimensions)), constraints_(std::move(constraints)) {
  std::ranges::sort(dimensions_, {}, &Dimension::label);
  for (const Dimension &dimension : dimensions_)
    if (dimension.settings.empty())
      throw Error({ErrorCode::bad_objective, dimension.label, "has no setting to try",
                   "give some, or leave the dimension out"});
}

SearchSpace::SearchSpace(const Space &space,
                         const std::map<std::string, std::vector<Value>> &choices,
                         const std::set<std::string> &without_guard) {
  for (const std::string &label : without_guard)
    if (!space.find(label))
      throw Error(unknown_label(label, space));
  for (const auto &[label, values] : choices)
    if (!space.find(label))
      throw Error(unknown_label(label, space));
  for (const Point &point : space.points()) {
    if (!specializable(point))
      continue;
    const auto chosen = choices.find(point.label);
    if (chosen == choices.end() && too_many(point))
      throw Error({ErrorCode::bad_objective, point.label,
                   "may be set to more than " + std::to_string(most_settings) + " values",
                   "give some in ExplorerOptions::choices, or none to leave the point alone"});
    auto values = chosen == choices.end() ? point.values()
                                          : or_throw(fit_each(point.label, chosen->second, space));
    if (!values.empty())
      dimensions_.push_back(
          dimension_of(point, std::move(values), !without_guard.contains(point.label)));
  }
}

std::uint64_t SearchSpace::combinations() const noexcept {
  std::uint64_t product = 1;
  for (const Dimension &dimension : dimensions_)
    if (__builtin_mul_overflow(product, dimension.settings.size() + 1, &product))
      return std::numeric_limits<std::uint64_t>::max();
  return product;
}

bool SearchSpace::allows(const Configuration &configuration) const {
  return place_of(configuration).has_value();
}

bool SearchSpace::allows(const Place &place) const {
  if (place.size() != dimensions_.size())
    return false;
  for (std::size_t i = 0; i < place.size(); ++i)
    if (place[i] > dimensions_[i].settings.size())
      return false;
  return allows(at(place));
}

Configuration SearchSpace::at(const Place &place) const {
  Configuration configuration;
  for (std::size_t i = 0; i < place.size(); ++i)
    if (place[i] > 0)
      configuration.set(dimensions_[i].label, dimensions_[i].settings[place[i] - 1]);
  return configuration;
}

std::optional<SearchSpace::Place> SearchSpace::place_of(const Configuration &configuration) const {
  Place place(dimensions_.size());
  std::size_t found = 0;
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    const Setting *setting = configuration.find(dimensions_[i].label);
    if (!setting)
      continue;
    const auto &settings = dimensions_[i].settings;
    const auto at = std::ranges::find(settings, *setting);
    if (at == settings.end())
      return std::nullopt;
    place[i] = static_cast<std::uint32_t>(at - settings.begin()) + 1;
    ++found;
  }
  if (found != configuration.size())
    return std::nullopt;
  return place;
}

std::vector<Configuration> SearchSpace::all(std::size_t most) const {
  if (combinations() > most)
    throw Error({ErrorCode::bad_objective, "space",
                 "there are more than " + std::to_string(most) + " configurations",
                 "give fewer values in ExplorerOptions::choices, or search without trying all"});
  std::vector<Configuration> configurations(1);
  for (const Dimension &dimension : dimensions_) {
    const std::size_t without = configurations.size();
    for (const Setting &setting : dimension.settings)
      for (std::size_t i = 0; i < without; ++i)
        configurations.push_back(Configuration(configurations[i]).set(dimension.label, setting));
  }
  std::erase_if(configurations, [&](const auto &configuration) { return !allows(configuration); });
  return configurations;
}

SearchSpace::Place SearchSpace::random(std::mt19937_64 &generator) const {
  Place place(dimensions_.size());
  do {
    for (std::size_t i = 0; i < place.size(); ++i)
      place[i] = std::uniform_int_distribution<std::uint32_t>(
          0, static_cast<std::uint32_t>(dimensions_[i].settings.size()))(generator);
  } while (!allows(place));
  return place;
}

} // namespace sartor
