// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/space.hpp>

#include <algorithm>
#include <utility>

#include "base/never_destroyed.h"
#include "base/result.h"
#include "base/text/value_json.h"
#include "core/space/constraints_json.h"
#include "core/space/fit.h"
#include "core/space/rules.h"

namespace sartor {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::uint64_t kMostProposedAnswers = 1024;

Json to_json(const Site &site) {
  Json json{{"function", site.function}, {"file", site.file}, {"line", site.line}};
  if (!site.problem.empty())
    json["problem"] = site.problem;
  if (!site.unreached.empty())
    json["unreached"] = site.unreached;
  return json;
}

Json to_json(const Seen &seen) {
  Json top = Json::array();
  for (const Seen::Input &input : seen.top) {
    Json values = Json::array();
    for (const Value &value : input.values)
      values.push_back(value_to_json(value));
    top.push_back({{"values", std::move(values)}, {"share", input.share}});
  }
  return {{"count", seen.count}, {"error_bound", seen.error_bound}, {"top", std::move(top)}};
}

Json to_json(const Point &point) {
  Json choices = Json::array();
  for (const Value &choice : point.choices)
    choices.push_back(value_to_json(choice));
  Json sites = Json::array();
  for (const Site &site : point.sites)
    sites.push_back(to_json(site));
  Json json{{"label", point.label}, {"kind", to_string(point.kind)}, {"type", point.type.text()}};
  json["choices"] = std::move(choices);
  if (!point.function.empty()) {
    json["function"] = point.function;
    Json arguments = Json::array();
    for (const PointType &type : point.arguments)
      arguments.push_back(type.text());
    json["arguments"] = std::move(arguments);
  }
  if (point.kind == PointKind::fast_path) {
    json["versioned"] = point.is_versioned;
    json["reads_memory"] = point.reads_memory;
  }
  if (point.kind == PointKind::custom)
    json["custom_kind"] = point.custom_kind;
  if (point.is_operand)
    json["operand"] = true;
  json["handlers"] = point.handlers;
  json["sites"] = std::move(sites);
  if (point.seen)
    json["seen"] = to_json(*point.seen);
  return json;
}

std::vector<Value> whole_range(const Value &low, const Value &high, bool is_signed) {
  std::vector<Value> values;
  // Unsigned arithmetic wraps, so that this also counts from below zero to above it.
  const std::uint64_t last = high.bits() - low.bits();
  for (std::uint64_t i = 0;; ++i) {
    const std::uint64_t bits = low.bits() + i;
    values.push_back(is_signed ? Value(static_cast<std::int64_t>(bits)) : Value(bits));
    if (i == last)
      return values;
  }
}

/// A custom point is set to values of its generator, which are usually numbers.
bool is_set_to_numbers(const Point &point) {
  return point.kind == PointKind::fast_path || point.kind == PointKind::custom ||
         point.type.kind != PointType::Class::pointer;
}

/// Converts the values of constraints to the types of their points.
Result<Constraints> fit(Constraints constraints, const Space &space) {
  for (auto &[label, condition] : constraints.conditions) {
    auto values = fit_each(condition.label, condition.values, space);
    if (!values)
      return std::unexpected(std::move(values.error()));
    condition.values = std::move(*values);
  }
  for (Configuration &combination : constraints.forbidden) {
    Configuration fitted;
    for (const auto &[label, setting] : combination) {
      auto values = fit_each(label, setting.values, space);
      if (!values)
        return std::unexpected(std::move(values.error()));
      fitted.set(label, Setting(std::move(*values), setting.guarded));
    }
    combination = std::move(fitted);
  }
  return constraints;
}

std::vector<Value> powers_of_two(std::uint64_t last) {
  std::vector<Value> values;
  for (std::uint64_t power = 1; power <= last; power *= 2)
    values.push_back(power);
  return values;
}

} // namespace

std::string_view to_string(PointKind kind) {
  switch (kind) {
  case PointKind::enumeration:
    return "enum";
  case PointKind::range:
    return "range";
  case PointKind::generic:
    return "generic";
  case PointKind::assume:
    return "assume";
  case PointKind::fast_path:
    return "fast_path";
  case PointKind::custom:
    return "custom";
  }
  std::unreachable();
}

std::vector<Value> Point::values() const {
  switch (kind) {
  case PointKind::enumeration:
    return choices;
  case PointKind::range:
    // The numbers between two floating-point bounds cannot be listed.
    if (!choices[0].is_integer() || !choices[1].is_integer() || choices[1] < choices[0])
      return {};
    return whole_range(choices[0], choices[1], type.is_signed);
  case PointKind::assume:
    return {Value(1)};
  case PointKind::fast_path:
    return powers_of_two(kMostProposedAnswers);
  case PointKind::custom:
    return choices;
  case PointKind::generic:
    return {};
  }
  std::unreachable();
}

Space::Space(std::vector<Point> points) : points_(std::move(points)) {
  std::ranges::sort(points_, {}, &Point::label);
}

const Point *Space::find(std::string_view label) const & {
  const auto it = std::ranges::lower_bound(
      points_, label, {}, [](const Point &point) { return std::string_view(point.label); });
  return it != points_.end() && it->label == label ? &*it : nullptr;
}

std::optional<Point> Space::find(std::string_view label) && {
  const Point *found = std::as_const(*this).find(label);
  return found ? std::optional(*found) : std::nullopt;
}

std::optional<Failure> Space::check(const Configuration &configuration) const {
  auto fitted = fit(configuration, *this);
  if (!fitted)
    return std::move(fitted.error());
  if (auto failure = check_effect(*fitted, *this))
    return failure;
  return rules_ ? rules_->broken(*fitted) : std::nullopt;
}

void Space::constrain(Constraints constraints) {
  detail::Rules::Labels labels;
  for (const Point &point : points_)
    labels.emplace(point.label, is_set_to_numbers(point));
  auto fitted = or_throw(fit(std::move(constraints), *this));
  rules_ = fitted.empty() ? nullptr : or_throw(detail::Rules::read(std::move(fitted), labels));
}

const Constraints &Space::constraints() const & noexcept {
  static base::NeverDestroyed<Constraints> none; // spaces may be static objects
  return rules_ ? rules_->constraints() : none.value;
}

Configuration Space::restrict(const Configuration &configuration, std::string_view handler) const {
  Configuration restricted;
  for (const auto &[label, setting] : configuration)
    if (const Point *point = find(label);
        point && std::ranges::find(point->handlers, handler) != point->handlers.end())
      restricted.set(label, setting);
  return restricted;
}

std::string Space::json() const {
  Json points = Json::array();
  for (const Point &point : points_)
    points.push_back(to_json(point));
  Json json{{"points", std::move(points)}};
  if (!constraints().empty())
    json["constraints"] = constraints_to_json(constraints());
  return dump(json);
}

} // namespace sartor
