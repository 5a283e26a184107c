// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_EXPLAIN_EXPLAIN_REQUEST_H
#define SARTOR_TOOLS_CLI_EXPLAIN_EXPLAIN_REQUEST_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <sartor/fold_report.hpp>
#include <sartor/remark.hpp>

#include "base/result.h"
#include "core/space/module.h"
#include "tools/cli/explain/explain.h"

namespace sartor::cli {

/// The report on a recorded request.
struct RequestReport {
  std::string variant; ///< The variant's name.
  std::string handler;
  Configuration configuration;
  std::vector<std::string> arguments; ///< `1 = 0x5581`.
  std::uint64_t invariant_bytes = 0;
  FoldReport fold_report;
  std::uint64_t code_bytes = 0;
  std::vector<Remark> remarks;
  std::vector<core::FunctionSize> sizes;
  std::optional<core::Listing> listing;
};

/// Makes the request in a file again. `module` is that of the program that has recorded it. Fails
/// with file_error, and as the compiler does.
Result<RequestReport> explain_request(const std::string &file, core::HandlerModule module,
                                      Show show);

std::string text_of(const RequestReport &report, Show show);
nlohmann::ordered_json json_of(const RequestReport &report, Show show);

} // namespace sartor::cli

#endif
