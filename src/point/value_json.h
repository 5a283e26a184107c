// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_POINT_VALUE_JSON_H
#define SARTOR_POINT_VALUE_JSON_H

#include <optional>

#include <nlohmann/json.hpp>

#include <sartor/value.hpp>

namespace sartor {

/// A number or, for a symbol, a string. JSON has no infinities: those, and NaN, are written as
/// `{"float":"inf"}`.
nlohmann::ordered_json value_to_json(const Value &value);

/// What value_to_json() has written, or a boolean; nothing for other JSON.
std::optional<Value> value_from_json(const nlohmann::ordered_json &json);

/// One line of text, whatever bytes the strings hold: what is not UTF-8 is replaced.
std::string dump(const nlohmann::ordered_json &json);

} // namespace sartor

#endif
