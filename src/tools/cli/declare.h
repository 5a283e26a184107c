// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_DECLARE_H
#define SARTOR_TOOLS_CLI_DECLARE_H

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace sartor::cli {

/// `sartor declare`: a first draft of declarations aside from the source, and whether those that
/// object files were compiled with have found something.
class DeclareCommand {
public:
  explicit DeclareCommand(CLI::App &app);

  /// A draft is written by clang, which this process becomes. Fails with file_error, bad_argument,
  /// no_clang, and, of checking, bad_elf and bad_settings, whose subject is FILE:LINE.
  [[nodiscard]] Result<void> run() const;

private:
  [[nodiscard]] Result<void> draft() const;

  std::string place_;
  std::vector<std::string> options_; ///< Of clang.
  std::vector<std::string> objects_;
};

} // namespace sartor::cli

#endif
