// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_TEXT_JSON_H
#define SARTOR_BASE_TEXT_JSON_H

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace sartor {

/// Serializes to one line of text, whatever bytes the strings have: invalid UTF-8 is replaced. All
/// JSON is written by this function, because nlohmann::json throws if labels, paths or messages are
/// not UTF-8.
std::string dump(const nlohmann::ordered_json &json);

/// Parses a text; `callback` is nlohmann::json's. Fails with bad_json, subject empty, and the
/// position in the message; also if the nesting is deeper than in any JSON of Sartor, because
/// serializing it again would take a proportional amount of stack.
Result<nlohmann::ordered_json>
parse_json(std::string_view text,
           const nlohmann::ordered_json::parser_callback_t &callback = nullptr);

/// The fields that report a failure: code, subject, message, remedy.
nlohmann::ordered_json to_json(const Failure &failure);

} // namespace sartor

#endif
