// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_SIBLING_H
#define SARTOR_TOOLS_CLI_SIBLING_H

#include <string>
#include <vector>

#include "base/result.h"

namespace sartor::cli {

/// Replaces this process by a program in the directory of the `sartor` command (links are
/// followed), with the same environment. Returns only on failure: file_error.
Failure become_sibling(const std::string &name, const std::vector<std::string> &arguments);

} // namespace sartor::cli

#endif
