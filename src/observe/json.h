// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_OBSERVE_JSON_H
#define SARTOR_OBSERVE_JSON_H

#include <string>

#include <nlohmann/json.hpp>

#include <sartor/error.hpp>

namespace sartor {

/// One line of text, whatever bytes the strings hold: what is not UTF-8 is replaced. Nothing else
/// writes JSON, as nlohmann::json's own way throws where labels, paths or messages are not UTF-8.
std::string dump(const nlohmann::ordered_json &json);

/// The fields by which a failure is told: code, subject, message.
nlohmann::ordered_json to_json(const Failure &failure);

} // namespace sartor

#endif
