// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_CODE_LINES_H
#define SARTOR_TOOLS_CLI_CODE_LINES_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/compiler/inspect.h"

namespace sartor::cli {

/// The longest text of json_of(), in lines and bytes: the rest is left out.
constexpr std::size_t kMostCodeLines = 20'000;
constexpr std::size_t kMostCodeBytes = std::size_t{1} << 20;

/// Returns assembly without directives for the linker, debuggers and unwinders. If `origins` is not
/// null, it has a number for each line, and keeps those of the remaining lines.
std::string instructions_of(const std::string &assembly,
                            std::vector<std::uint32_t> *origins = nullptr);

/// Returns `{"files": [PATH], "origins": [{"at": [[FILE, LINE]], "unlikely": true}], "ir": TEXT,
/// "ir_origins": [INDEX], "assembly": TEXT, "assembly_origins": [INDEX]}`, with `ir_lines` or
/// `assembly_lines`, the number of all lines, if lines were left out.
nlohmann::ordered_json json_of(const core::Listing &listing);

} // namespace sartor::cli

#endif
