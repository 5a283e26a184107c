// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_LD_PLAN_H
#define SARTOR_TOOLS_CLI_LD_PLAN_H

#include <string>

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace sartor::cli {

/// `sartor ld plan`: shows how the loader's passes would change a program.
class LdPlanCommand {
public:
  /// `ld` is the parent command.
  explicit LdPlanCommand(CLI::App &ld);

  [[nodiscard]] bool is_meant() const { return command_->parsed(); }
  /// Replaces this process by `sartor-ld-plan`, which writes only its report. Returns only if that
  /// program is missing: file_error.
  Result<void> run() const;

private:
  CLI::App *command_;
  std::string program_;
  std::string passes_;
  std::string config_;
};

} // namespace sartor::cli

#endif
