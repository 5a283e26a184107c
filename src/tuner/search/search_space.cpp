// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/search_space.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/never_destroyed.h"
#include "base/result.h"
#include "base/text/value_json.h"
#include "core/space/constraints_json.h"
#include "core/space/fit.h"
#include "core/space/rules.h"
#include "tuner/limits.h"
#include "tuner/search/coordinate_rules.h"

namespace sartor {

using Json = nlohmann::ordered_json;

namespace {

bool specializable(const Point &point) {
  return point.sites.empty() ||
         (!point.handlers.empty() &&
          std::ranges::any_of(point.sites, [](const Site &site) { return site.problem.empty(); }));
}

bool too_many(const Point &point) {
  return point.kind == PointKind::range && point.choices[0].is_integer() &&
         point.choices[0] <= point.choices[1] &&
         point.choices[1].bits() - point.choices[0].bits() >= limits::most_settings;
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

/// The generic setting and the indices of all others.
std::vector<std::uint32_t> settings_of(const Dimension &dimension) {
  std::vector<std::uint32_t> settings(dimension.settings.size() + 1);
  std::iota(settings.begin(), settings.end(), 0U);
  return settings;
}

bool is_set_to_numbers(const Dimension &dimension) {
  return std::ranges::all_of(dimension.settings, [](const Setting &setting) {
    return std::ranges::none_of(setting.values, &Value::is_symbol);
  });
}

bool has(const std::vector<Dimension> &dimensions, const std::string &label) {
  return std::ranges::find(dimensions, label, &Dimension::label) != dimensions.end();
}

/// A point whose condition depends on one that stays generic also stays generic.
void leave_out_what_cannot_be_set(std::vector<Dimension> &dimensions,
                                  const Constraints &constraints) {
  while (std::erase_if(dimensions, [&](const Dimension &dimension) {
           const auto condition = constraints.conditions.find(dimension.label);
           return condition != constraints.conditions.end() &&
                  !has(dimensions, condition->second.label);
         }) > 0) {
  }
}

/// Leaves out constraints that hold because one of their points stays generic.
Constraints restrict(const Space &space, const std::vector<Dimension> &dimensions) {
  detail::Rules::Labels labels;
  for (const Point &point : space.points())
    labels.emplace(point.label, true);
  const Constraints &constraints = space.constraints();
  const auto rules = or_throw(detail::Rules::read(constraints, labels));
  Constraints kept;
  // Relations are the first rules, in their order.
  for (std::size_t i = 0; i < constraints.relations.size(); ++i)
    if (std::ranges::all_of(rules->rules()[i]->labels(),
                            [&](const std::string &label) { return has(dimensions, label); }))
      kept.relations.push_back(constraints.relations[i]);
  for (const auto &[label, condition] : constraints.conditions)
    if (has(dimensions, label))
      kept.conditions.emplace(label, condition);
  for (const Configuration &combination : constraints.forbidden)
    if (std::ranges::all_of(combination,
                            [&](const auto &one) { return has(dimensions, one.first); }))
      kept.forbidden.push_back(combination);
  return kept;
}

std::unexpected<Failure> bad_json(std::string message) {
  return std::unexpected(
      Failure{ErrorCode::bad_json, "", std::move(message),
              R"(write e.g. {"dimensions":[{"label":"B","settings":[16,32],"ordered":true}]})"});
}

Result<Dimension> read_dimension(const Json &json) {
  if (!json.is_object() || !json.contains("label") || !json["label"].is_string() ||
      !json.contains("settings") || !json["settings"].is_array())
    return bad_json(dump(json) + " is no dimension");
  Dimension dimension{.label = json["label"].get<std::string>(), .settings = {}};
  for (const Json &one : json["settings"]) {
    auto setting = setting_from_json(dimension.label, one);
    if (!setting)
      return std::unexpected(std::move(setting.error()));
    dimension.settings.push_back(std::move(*setting));
  }
  if (json.contains("ordered") && !json["ordered"].is_boolean())
    return bad_json(dump(json) + " is ordered neither true nor false");
  dimension.is_ordered = json.value("ordered", true);
  return dimension;
}

} // namespace

SearchSpace::SearchSpace(std::vector<Dimension> dimensions, Constraints constraints)
    : dimensions_(std::move(dimensions)) {
  std::ranges::sort(dimensions_, {}, &Dimension::label);
  for (const Dimension &dimension : dimensions_)
    if (dimension.settings.empty())
      throw Error({ErrorCode::bad_objective, dimension.label, "has no setting to try",
                   "give some, or leave the dimension out"});
  const auto repeated = std::ranges::adjacent_find(dimensions_, {}, &Dimension::label);
  if (repeated != dimensions_.end())
    throw Error({ErrorCode::bad_objective, repeated->label, "is the label of two dimensions",
                 "give all settings of a point in one"});
  set_constraints(std::move(constraints));
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
                   "may be set to more than " + std::to_string(limits::most_settings) + " values",
                   "give some in ExplorerOptions::choices, or none to leave the point alone"});
    auto values = chosen == choices.end() ? point.values()
                                          : or_throw(fit_each(point.label, chosen->second, space));
    if (!values.empty())
      dimensions_.push_back(
          dimension_of(point, std::move(values), !without_guard.contains(point.label)));
  }
  leave_out_what_cannot_be_set(dimensions_, space.constraints());
  set_constraints(restrict(space, dimensions_));
}

void SearchSpace::set_constraints(Constraints constraints) {
  if (constraints.empty())
    return;
  detail::Rules::Labels labels;
  for (const Dimension &dimension : dimensions_)
    labels.emplace(dimension.label, is_set_to_numbers(dimension));
  rules_ = std::make_shared<detail::CoordinateRules>(
      or_throw(detail::Rules::read(std::move(constraints), labels)), dimensions_);
}

const Constraints &SearchSpace::constraints() const noexcept {
  static base::NeverDestroyed<Constraints> none; // spaces may be static objects
  return rules_ ? rules_->constraints() : none.value;
}

std::uint64_t SearchSpace::combinations() const noexcept {
  std::uint64_t product = 1;
  for (const Dimension &dimension : dimensions_)
    if (__builtin_mul_overflow(product, dimension.settings.size() + 1, &product))
      return std::numeric_limits<std::uint64_t>::max();
  return product;
}

bool SearchSpace::allows(const Configuration &configuration) const {
  const auto coordinates = coordinates_of(configuration);
  return coordinates && (!rules_ || rules_->allow(*coordinates, dimensions_));
}

bool SearchSpace::allows(const Coordinates &coordinates) const {
  if (coordinates.size() != dimensions_.size())
    return false;
  for (std::size_t i = 0; i < coordinates.size(); ++i)
    if (coordinates[i] > dimensions_[i].settings.size())
      return false;
  return !rules_ || rules_->allow(coordinates, dimensions_);
}

Configuration SearchSpace::at(const Coordinates &coordinates) const {
  Configuration configuration;
  for (std::size_t i = 0; i < coordinates.size(); ++i)
    if (coordinates[i] > 0)
      configuration.set(dimensions_[i].label, dimensions_[i].settings[coordinates[i] - 1]);
  return configuration;
}

std::optional<SearchSpace::Coordinates>
SearchSpace::coordinates_of(const Configuration &configuration) const {
  Coordinates coordinates(dimensions_.size());
  std::size_t found = 0;
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    const Setting *setting = configuration.find(dimensions_[i].label);
    if (!setting)
      continue;
    const auto &settings = dimensions_[i].settings;
    const auto at = std::ranges::find(settings, *setting);
    if (at == settings.end())
      return std::nullopt;
    coordinates[i] = static_cast<std::uint32_t>(at - settings.begin()) + 1;
    ++found;
  }
  if (found != configuration.size())
    return std::nullopt;
  return coordinates;
}

std::vector<Configuration> SearchSpace::all(std::size_t most) const {
  std::size_t settings = 0; // number of settings looked at for one configuration
  for (const Dimension &dimension : dimensions_)
    settings += dimension.settings.size() + 1;
  std::size_t steps = 0;
  if (__builtin_add_overflow(most, std::size_t{1}, &steps) ||
      __builtin_mul_overflow(2 * settings, steps, &steps))
    steps = std::numeric_limits<std::size_t>::max();
  std::vector<Configuration> found;
  const bool complete = detail::walk(
      dimensions_, rules_.get(), steps, [&](std::size_t i) { return settings_of(dimensions_[i]); },
      [&](const Coordinates &coordinates) {
        if (found.size() == most)
          return false;
        found.push_back(at(coordinates));
        return true;
      });
  if (!complete)
    throw Error({ErrorCode::bad_objective, "space",
                 found.size() == most
                     ? "there are more than " + std::to_string(most) + " configurations"
                     : "constraints make it too hard to find all configurations",
                 "give fewer values in ExplorerOptions::choices, or search without trying all"});
  return found;
}

SearchSpace::Coordinates SearchSpace::random(std::mt19937_64 &generator) const {
  Coordinates coordinates(dimensions_.size());
  for (int attempt = 0; attempt < limits::attempts_at_random; ++attempt) {
    for (std::size_t i = 0; i < coordinates.size(); ++i)
      coordinates[i] = std::uniform_int_distribution<std::uint32_t>(
          0, static_cast<std::uint32_t>(dimensions_[i].settings.size()))(generator);
    if (allows(coordinates))
      return coordinates;
  }
  // Few configurations are allowed. The generic one always is, in case no other is found in time.
  std::ranges::fill(coordinates, 0U);
  detail::walk(
      dimensions_, rules_.get(), limits::steps_at_random,
      [&](std::size_t i) {
        auto settings = settings_of(dimensions_[i]);
        std::ranges::shuffle(settings, generator);
        return settings;
      },
      [&](const Coordinates &found) {
        coordinates = found;
        return false;
      });
  return coordinates;
}

std::string SearchSpace::json() const {
  Json dimensions = Json::array();
  for (const Dimension &dimension : dimensions_) {
    Json settings = Json::array();
    for (const Setting &setting : dimension.settings)
      settings.push_back(setting_to_json(setting));
    dimensions.push_back({{"label", dimension.label},
                          {"settings", std::move(settings)},
                          {"ordered", dimension.is_ordered}});
  }
  return dump(
      {{"dimensions", std::move(dimensions)}, {"constraints", constraints_to_json(constraints())}});
}

SearchSpace SearchSpace::from_json(std::string_view text) {
  const auto read = parse_json(text);
  if (!read)
    throw Error(bad_json(read.error().message).error());
  const Json &json = *read;
  if (!json.is_object() || !json.contains("dimensions") || !json["dimensions"].is_array())
    throw Error(bad_json("there is no list of dimensions").error());
  std::vector<Dimension> dimensions;
  for (const Json &dimension : json["dimensions"])
    dimensions.push_back(or_throw(read_dimension(dimension)));
  return SearchSpace(std::move(dimensions),
                     or_throw(constraints_from_json(json.value("constraints", Json::object()))));
}

} // namespace sartor
