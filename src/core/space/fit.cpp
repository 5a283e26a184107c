// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/space/fit.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/default_floats.h"
#include "core/profile/layout.h"
#include "core/space/nearest.h"

namespace sartor {

namespace {

constexpr std::int64_t kMostAnswers = 65'536;

std::unexpected<Failure> misfit(const Value &value, const PointType &type, const char *expected) {
  return std::unexpected(Failure{ErrorCode::bad_value_type, "",
                                 value.text() + " does not fit the type " + type.text(),
                                 std::string("give ") + expected});
}

bool integer_fits(const Value &value, const PointType &type) {
  if (type.is_signed) {
    if (value.is_large())
      return false;
    if (type.bits >= 64)
      return true;
    const auto half = std::uint64_t{1} << (type.bits - 1);
    return value.integer() <= static_cast<std::int64_t>(half - 1) &&
           value.integer() >= -static_cast<std::int64_t>(half - 1) - 1;
  }
  if (!value.is_large() && value.integer() < 0)
    return false;
  return type.bits >= 64 || value.bits() >> type.bits == 0;
}

Result<Value> fit_floating(const Value &value, const PointType &type) {
  double number;
  if (value.is_floating()) {
    number = value.floating();
  } else if (value.is_integer()) {
    number =
        value.is_large() ? static_cast<double>(value.bits()) : static_cast<double>(value.integer());
    // From 2^53 on a double may differ from the number that was meant.
    if (std::fabs(number) >= 0x1p53)
      return misfit(value, type, "a number with a decimal point");
  } else {
    return misfit(value, type, "a number");
  }
  if (std::isnan(number))
    return misfit(value, type, "a number that equals itself");
  if (type.bits == 32) {
    const base::DefaultFloats floats;
    const auto rounded = static_cast<double>(static_cast<float>(number));
    if (std::isinf(rounded) && !std::isinf(number))
      return misfit(value, type, "a number that a float can hold");
    number = rounded;
  }
  return Value(number);
}

std::string choices_text(const std::vector<Value> &choices) {
  std::string text;
  for (const Value &choice : choices)
    text += (text.empty() ? "" : ", ") + choice.text();
  return text;
}

/// Nothing if the point may be set to `value`, which already has the point's type.
std::optional<Failure> outside(const Point &point, const Value &value) {
  const auto failure = [&](std::string message, std::string remedy) {
    return Failure{ErrorCode::value_outside_choices, point.label, std::move(message),
                   std::move(remedy)};
  };
  switch (point.kind) {
  case PointKind::enumeration:
    if (point.choices.empty())
      return failure("has no choices", "list some in sartor_enum(), or use sartor_generic()");
    if (std::ranges::find(point.choices, value) == point.choices.end())
      return failure(value.text() + " is not among its choices",
                     "choose among " + choices_text(point.choices));
    break;
  case PointKind::range:
    if (point.choices.size() != 2)
      return failure("has no bounds", "give the lowest and the highest value");
    if (value < point.choices[0] || value > point.choices[1])
      return failure(value.text() + " is outside its range",
                     "choose from " + point.choices[0].text() + " to " + point.choices[1].text());
    break;
  case PointKind::assume:
    if (value != Value(1))
      return failure("an assume can only be set to true",
                     "set it to true, or leave it out for the generic code");
    break;
  case PointKind::generic:
  case PointKind::fast_path:
  case PointKind::custom:
    break;
  }
  return std::nullopt;
}

std::string place(const Site &site) { return site.file + ":" + std::to_string(site.line); }

std::optional<Failure> without_effect(const Point &point) {
  if (point.sites.empty())
    return std::nullopt; // a constructed space
  if (std::ranges::all_of(point.sites, [](const Site &site) { return !site.problem.empty(); }))
    return Failure{ErrorCode::point_not_specializable, point.label,
                   point.sites.front().problem + " (" + place(point.sites.front()) + ")",
                   "move the point into a function of its own that does without"};
  if (point.handlers.empty())
    return Failure{
        ErrorCode::point_not_specializable, point.label,
        "no handler reaches it: " + point.sites.front().unreached + " (" +
            place(point.sites.front()) + ")",
        "call its function by name from one that is marked with SARTOR_HANDLER, or mark it itself"};
  return std::nullopt;
}

Failure fast_path_problem(const Point &point, const std::string &problem) {
  if (point.arguments.size() > core::kMostInputs)
    return {ErrorCode::point_not_specializable, point.label, problem,
            "leave the point generic, or mark a call with at most " +
                std::to_string(core::kMostInputs) + " arguments"};
  return {ErrorCode::impure_function, point.label, problem,
          "leave the point generic, or, if the function does nothing but read, declare it "
          "__attribute__((pure))"};
}

// A fast path is set to the number of inputs that it answers.
Result<Setting> fit_fast_path(const Setting &setting, const Point &point) {
  for (const Site &site : point.sites)
    if (!site.problem.empty())
      return std::unexpected(fast_path_problem(point, site.problem));
  const Value &size = setting.values.front();
  if (setting.values.size() != 1 || !size.is_integer() || size.is_large() || size.integer() < 1 ||
      size.integer() > kMostAnswers)
    return std::unexpected(Failure{ErrorCode::value_outside_choices, point.label,
                                   "a fast path is set to the number of inputs that it answers",
                                   "give one number from 1 to " + std::to_string(kMostAnswers)});
  return setting;
}

Result<Setting> fit_custom(const Setting &setting, const Point &point) {
  if (setting.values.size() != 1)
    return std::unexpected(Failure{ErrorCode::value_outside_choices, point.label,
                                   "a custom point is set to one value", "give one"});
  return setting;
}

Result<Setting> fit(const Setting &setting, const Point &point) {
  if (setting.values.empty())
    return std::unexpected(Failure{ErrorCode::bad_value_type, point.label, "is set to no value",
                                   "leave it out for the generic code"});
  if (point.kind == PointKind::fast_path)
    return fit_fast_path(setting, point);
  if (point.kind == PointKind::custom)
    return fit_custom(setting, point);
  std::vector<Value> values;
  for (const Value &given : setting.values) {
    auto value = fit(given, point.type);
    if (!value) {
      value.error().subject = point.label;
      return std::unexpected(std::move(value.error()));
    }
    if (auto failure = outside(point, *value))
      return std::unexpected(std::move(*failure));
    values.push_back(std::move(*value));
  }
  return Setting(std::move(values), setting.guarded);
}

} // namespace

Result<Value> fit(const Value &value, const PointType &type) {
  switch (type.kind) {
  case PointType::Class::floating:
    return fit_floating(value, type);
  case PointType::Class::boolean:
    if (value == Value(0) || value == Value(1))
      return value;
    return misfit(value, type, "true (1) or false (0)");
  case PointType::Class::pointer:
    if (value.is_symbol() || (value.is_integer() && (value.is_large() || value.integer() >= 0)))
      return value;
    return misfit(value, type, "the name of a symbol, or an address");
  case PointType::Class::integer:
    if (value.is_integer() && integer_fits(value, type))
      return value;
    return misfit(value, type, "an integer that the type can hold");
  }
  std::unreachable();
}

Failure unknown_label(const std::string &label, const Space &space) {
  std::vector<std::string> labels;
  for (const Point &point : space.points())
    labels.push_back(point.label);
  return {ErrorCode::unknown_label, label, "no point has this label", nearest_names(label, labels)};
}

Result<std::vector<Value>> fit_each(const std::string &label, const std::vector<Value> &values,
                                    const Space &space) {
  std::vector<Value> fitting;
  for (const Value &value : values) {
    const auto one = fit({{label, value}}, space);
    if (!one)
      return std::unexpected(one.error());
    if (auto failure = check_effect(*one, space))
      return std::unexpected(std::move(*failure));
    fitting.push_back(one->find(label)->values.front());
  }
  return fitting;
}

Result<Configuration> fit(const Configuration &configuration, const Space &space) {
  Configuration fitted;
  for (const auto &[label, setting] : configuration) {
    const Point *point = space.find(label);
    if (!point)
      return std::unexpected(unknown_label(label, space));
    auto of_type = fit(setting, *point);
    if (!of_type)
      return std::unexpected(std::move(of_type.error()));
    fitted.set(label, std::move(*of_type));
  }
  return fitted;
}

std::optional<Failure> check_effect(const Configuration &configuration, const Space &space) {
  for (const auto &[label, setting] : configuration)
    if (auto failure = without_effect(*space.find(label)))
      return failure;
  return std::nullopt;
}

} // namespace sartor
