// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_REPLAY_BISECT_H
#define SARTOR_TOOLS_CLI_REPLAY_BISECT_H

#include <cstdint>
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
/// `with_all` is the execution with all passes, which differs. `instead`: as PassLimit::instead.
/// Fails as execute() does.
Result<std::optional<Culprit>> bisect(const RecordedCall &call, const Execution &native,
                                      const Execution &with_all, const std::string &instead = {});

} // namespace sartor::cli

#endif
