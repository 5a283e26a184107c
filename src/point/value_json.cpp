// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "point/value_json.h"

#include <cmath>

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

std::string dump(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace sartor
