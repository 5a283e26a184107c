// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_DECLARE_H
#define SARTOR_TOOLS_CLI_DECLARE_H

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace sartor::cli {

/// `sartor declare`: drafts declarations outside the source, or checks whether the declarations
/// that object files were compiled with have matched.
class DeclareCommand {
public:
  explicit DeclareCommand(CLI::App &app);

  /// A draft is written by clang, which replaces this process. Fails with file_error, bad_argument,
  /// no_clang, and, for a check, bad_elf and bad_settings, whose subject is FILE:LINE.
  [[nodiscard]] Result<void> run() const;

private:
  [[nodiscard]] Result<void> draft() const;

  std::string place_;
  std::vector<std::string> options_; ///< Options of clang.
  std::vector<std::string> objects_;
};

} // namespace sartor::cli

#endif
