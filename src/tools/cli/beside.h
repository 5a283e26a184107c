// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_BESIDE_H
#define SARTOR_TOOLS_CLI_BESIDE_H

#include <string>
#include <vector>

#include "base/result.h"

namespace sartor::cli {

/// Replaces this process by a program that lies beside the `sartor` command, links followed, with
/// the environment as it is. Returns only if that fails: with file_error.
Failure become_beside(const std::string &name, const std::vector<std::string> &arguments);

} // namespace sartor::cli

#endif
