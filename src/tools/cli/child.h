// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_CHILD_H
#define SARTOR_TOOLS_CLI_CHILD_H

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"

namespace sartor::cli {

/// How a program ended.
struct Ended {
  int status = 0;     ///< The exit status; after a signal, 128 plus its number.
  std::string output; ///< Of both standard output and standard error.

  /// The output up to the first end of line.
  [[nodiscard]] std::string first_line() const;
};

/// Runs a program to its end, without input. The first word is its path, or its name in PATH. Fails
/// with file_error if it cannot be started, or does not end within `limit`; it is killed then.
Result<Ended> run_child(const std::vector<std::string> &words,
                        std::chrono::seconds limit = std::chrono::seconds(120));

} // namespace sartor::cli

#endif
