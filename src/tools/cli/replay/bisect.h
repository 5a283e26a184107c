// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_REPLAY_BISECT_H
#define SARTOR_TOOLS_CLI_REPLAY_BISECT_H

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "tools/cli/replay/execute.h"

namespace sartor::cli {

/// The optional pass after which the variant differs.
struct Culprit {
  std::uint64_t number = 0; ///< From 1.
  std::uint64_t all = 0;    ///< The number of optional passes.
  std::string pass;
  std::string function;
};

/// Finds the smallest number of optional passes after which the variant differs from `native`, by a
/// binary search. Nothing if it differs without any: specialization or code generation is at fault.
/// `with_all` is the execution with all passes, which differs. Fails as execute() does.
Result<std::optional<Culprit>> bisect(const RecordedCall &call, const Execution &native,
                                      const Execution &with_all);

/// Writes the IR before and after the pass into a new directory, with a README. Returns its path.
/// Fails with file_error, and as execute() does.
Result<std::filesystem::path> write_reduced(const RecordedCall &call, const Culprit &culprit,
                                            const std::filesystem::path &into);

} // namespace sartor::cli

#endif
