// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_REPORT_JSON_H
#define SARTOR_CORE_REPORT_JSON_H

#include <string>
#include <string_view>
#include <vector>

#include <sartor/runtime.hpp>

namespace sartor {

// JSON of the C interface about a runtime: all fields, by name.

/// "native", "compiled", ...
std::string_view name_of(VariantOrigin origin);
std::string text_of(const VariantInfo &made);
std::string text_of(const std::vector<VariantInfo> &made);
std::string text_of(const Statistics &statistics);

} // namespace sartor

#endif
