// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_JSON_H
#define SARTOR_BASE_JSON_H

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace sartor {

/// One line of text, whatever bytes the strings hold: what is not UTF-8 is replaced. Nothing else
/// writes JSON, as nlohmann::json's own way throws where labels, paths or messages are not UTF-8.
std::string dump(const nlohmann::ordered_json &json);

/// Reads a text; `callback` is nlohmann::json's. Fails with bad_json, subject empty, which says
/// where the text is wrong; also where it is nested deeper than anything of ours, as whoever wrote
/// it out again would need that much stack.
Result<nlohmann::ordered_json>
parse_json(std::string_view text,
           const nlohmann::ordered_json::parser_callback_t &callback = nullptr);

/// The fields by which a failure is told: code, subject, message.
nlohmann::ordered_json to_json(const Failure &failure);

} // namespace sartor

#endif
