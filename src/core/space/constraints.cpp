// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/constraints.hpp>

#include <utility>

#include "base/text/value_json.h"
#include "core/space/constraints_json.h"

namespace sartor {

using Json = nlohmann::ordered_json;

namespace {

std::unexpected<Failure> bad_constraints(std::string subject, std::string message) {
  return std::unexpected(Failure{
      ErrorCode::bad_json, std::move(subject), std::move(message),
      R"(write e.g. {"relations":["Ti * Tj <= 4096"],"conditions":{"depth":{"mode":[2,3]}},)"
      R"("forbidden":[{"B":64,"N":64}]})"});
}

Result<void> read_relations(const Json &json, Constraints &constraints) {
  if (!json.is_array())
    return bad_constraints("relations", "is no list of texts");
  for (const Json &relation : json) {
    if (!relation.is_string())
      return bad_constraints("relations", dump(relation) + " is no text");
    constraints.relations.push_back(relation.get<std::string>());
  }
  return {};
}

Result<void> read_conditions(const Json &json, Constraints &constraints) {
  if (!json.is_object())
    return bad_constraints("conditions", "is no object");
  for (const auto &[label, on] : json.items()) {
    if (!on.is_object() || on.size() != 1)
      return bad_constraints(label,
                             "depends on " + dump(on) + ", which is not one label and its values");
    auto setting = setting_from_json(on.begin().key(), on.begin().value());
    if (!setting)
      return std::unexpected(std::move(setting.error()));
    constraints.conditions[label] = {on.begin().key(), std::move(setting->values)};
  }
  return {};
}

Result<void> read_forbidden(const Json &json, Constraints &constraints) {
  if (!json.is_array())
    return bad_constraints("forbidden", "is no list of configurations");
  for (const Json &combination : json) {
    if (!combination.is_object())
      return bad_constraints("forbidden", dump(combination) + " is no configuration");
    Configuration configuration;
    for (const auto &[label, field] : combination.items()) {
      auto setting = setting_from_json(label, field);
      if (!setting)
        return std::unexpected(std::move(setting.error()));
      configuration.set(label, std::move(*setting));
    }
    constraints.forbidden.push_back(std::move(configuration));
  }
  return {};
}

} // namespace

Json constraints_to_json(const Constraints &constraints) {
  Json conditions = Json::object();
  for (const auto &[label, condition] : constraints.conditions)
    conditions[label] = {{condition.label, setting_to_json(Setting(condition.values))}};
  Json forbidden = Json::array();
  for (const Configuration &combination : constraints.forbidden)
    forbidden.push_back(Json::parse(combination.json()));
  return {{"relations", constraints.relations},
          {"conditions", std::move(conditions)},
          {"forbidden", std::move(forbidden)}};
}

Result<Constraints> constraints_from_json(const Json &json) {
  if (!json.is_object())
    return bad_constraints("", "constraints are no object");
  Constraints constraints;
  for (const auto &[key, field] : json.items()) {
    Result<void> read;
    if (key == "relations")
      read = read_relations(field, constraints);
    else if (key == "conditions")
      read = read_conditions(field, constraints);
    else if (key == "forbidden")
      read = read_forbidden(field, constraints);
    else
      read = bad_constraints(key, "is no kind of constraint");
    if (!read)
      return std::unexpected(std::move(read.error()));
  }
  return constraints;
}

std::string Constraints::json() const { return dump(constraints_to_json(*this)); }

Constraints Constraints::from_json(std::string_view text) {
  const auto json = parse_json(text);
  if (!json)
    throw Error(bad_constraints("", json.error().message).error());
  return or_throw(constraints_from_json(*json));
}

} // namespace sartor
