// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text/value_json.h"

#include <cmath>
#include <limits>

namespace sartor {

using Json = nlohmann::ordered_json;

Json value_to_json(const Value &value) {
  if (value.is_symbol())
    return value.symbol();
  if (value.is_floating()) {
    if (std::isfinite(value.floating()))
      return value.floating();
    return Json{{"float", std::isnan(value.floating()) ? "nan" : value.text()}};
  }
  if (value.is_large())
    return value.bits();
  return value.integer();
}

std::optional<Value> value_from_json(const Json &json) {
  if (json.is_boolean())
    return Value(json.get<bool>());
  if (json.is_number_unsigned())
    return Value(json.get<std::uint64_t>());
  if (json.is_number_integer())
    return Value(json.get<std::int64_t>());
  if (json.is_number_float())
    return Value(json.get<double>());
  if (json.is_string())
    return Value(json.get<std::string>());
  if (json.is_object() && json.size() == 1 && json.contains("float")) {
    const Json &name = json["float"];
    if (name == "inf" || name == "-inf")
      return Value(name == "inf" ? HUGE_VAL : -HUGE_VAL);
    if (name == "nan")
      return Value(std::numeric_limits<double>::quiet_NaN());
  }
  return std::nullopt;
}

} // namespace sartor
