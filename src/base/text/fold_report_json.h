// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_TEXT_FOLD_REPORT_JSON_H
#define SARTOR_BASE_TEXT_FOLD_REPORT_JSON_H

#include <string>
#include <vector>

#include <sartor/fold_report.hpp>
#include <sartor/remark.hpp>

#include "base/text/json.h"

namespace sartor {

/// An object of its fields by name, without zero and empty ones except `depended_on`.
nlohmann::ordered_json to_json(const FoldReport &fold_report);

nlohmann::ordered_json to_json(const std::vector<Remark> &remarks);

/// Remarks about invariants that have changed nothing in the code: some of them, and the number of
/// the others.
std::vector<Remark> remarks_of(const FoldReport &fold_report);

/// `invariant 12`, or `the quasi_invariant "size"`.
std::string name_of(const InvariantReport &invariant);

} // namespace sartor

#endif
