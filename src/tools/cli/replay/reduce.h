// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_REPLAY_REDUCE_H
#define SARTOR_TOOLS_CLI_REPLAY_REDUCE_H

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/cli/replay/bisect.h"
#include "tools/cli/replay/execute.h"

namespace sartor::cli {

/// Returns whether a module, as IR, shows the difference in place of the variant's: the call
/// differs from `native` with all optional passes, and does not without them. A module with more
/// undefined values than the variant's own does not count: passes may do anything with them.
bool shows_difference(const RecordedCall &call, const Execution &native, const std::string &module);

/// A module that llvm-reduce has made from the variant's, before optimization.
struct Reduced {
  std::string module;
  Culprit culprit;
  std::string before; ///< The module before and after the pass.
  std::string after;
};

/// Reduces the variant's module in `directory`. `command`: the words of a command that ends with
/// success if the file at the path that is its last word shows the difference. Fails with
/// file_error if llvm-reduce is not installed or fails, and as execute() does.
Result<Reduced> reduce(const RecordedCall &call, const Execution &native,
                       const std::vector<std::string> &command,
                       const std::filesystem::path &directory);

/// Writes the IR before and after the pass into a directory, those of the reduced module, if there
/// is one, and a README. Fails with file_error, and as execute() does.
Result<void> write_report(const RecordedCall &call, const Culprit &culprit,
                          const std::optional<Reduced> &reduced, const std::filesystem::path &into);

} // namespace sartor::cli

#endif
