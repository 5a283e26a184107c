// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_LD_REPLAN_H
#define SARTOR_TOOLS_CLI_LD_REPLAN_H

#include <string>

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace sartor::cli {

/// `sartor ld replan`: plans programs again whose files have changed, so that their next start need
/// not.
class LdReplanCommand {
public:
  /// `ld` is the parent command.
  explicit LdReplanCommand(CLI::App &ld);

  [[nodiscard]] bool is_meant() const { return command_->parsed(); }
  /// Prints a line for each program, and the sums. Fails with file_error if the directory cannot be
  /// read, or if sartor-ld is not next to this command.
  Result<void> run() const;

private:
  CLI::App *command_;
  std::string directory_;
};

} // namespace sartor::cli

#endif
