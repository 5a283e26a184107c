// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_TEXT_VALUE_JSON_H
#define SARTOR_BASE_TEXT_VALUE_JSON_H

#include <optional>

#include <sartor/value.hpp>

#include "base/text/json.h"

namespace sartor {

/// A number or, for a symbol, a string. JSON has no infinities: those, and NaN, are written as
/// `{"float":"inf"}`.
nlohmann::ordered_json value_to_json(const Value &value);

/// Reads the output of value_to_json(), or a boolean; nothing for other JSON.
std::optional<Value> value_from_json(const nlohmann::ordered_json &json);

} // namespace sartor

#endif
