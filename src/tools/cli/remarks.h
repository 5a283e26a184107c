// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_REMARKS_H
#define SARTOR_TOOLS_CLI_REMARKS_H

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <sartor/remark.hpp>

namespace sartor::cli {

/// Returns remarks with what to do, as a part of a report; empty without remarks.
std::string remarks_text(const std::vector<Remark> &remarks);
/// Returns `[{"code": CODE, "message": TEXT, "meaning": SENTENCE, "fix": TEXT, "reference":
/// PLACE}]`.
nlohmann::ordered_json remarks_json(const std::vector<Remark> &remarks);

} // namespace sartor::cli

#endif
