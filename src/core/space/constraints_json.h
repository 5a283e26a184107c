// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_SPACE_CONSTRAINTS_JSON_H
#define SARTOR_CORE_SPACE_CONSTRAINTS_JSON_H

#include <string>

#include <nlohmann/json.hpp>

#include <sartor/constraints.hpp>

#include "base/result.h"

namespace sartor {

/// Serializes a setting as Configuration::json() does: `16`, `[64,256]`,
/// `{"values":[3],"guard":false}`.
nlohmann::ordered_json setting_to_json(const Setting &setting);
/// Fails with bad_json, which names `label`.
Result<Setting> setting_from_json(const std::string &label, const nlohmann::ordered_json &json);

/// Serializes as Constraints::json() does.
nlohmann::ordered_json constraints_to_json(const Constraints &constraints);
/// Fails with bad_json.
Result<Constraints> constraints_from_json(const nlohmann::ordered_json &json);

} // namespace sartor

#endif
