// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_LIVE_TOP_TOP_H
#define SARTOR_TOOLS_CLI_LIVE_TOP_TOP_H

#include <string>

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace sartor::cli {

/// `sartor top`: shows a running program in the terminal, and lets its user switch handlers off.
class TopCommand {
public:
  explicit TopCommand(CLI::App &app);

  [[nodiscard]] bool is_meant() const { return command_->parsed(); }
  /// Ends when the user or the program does. Fails with file_error, bad_argument.
  Result<void> run() const;

private:
  CLI::App *command_;
  std::string process_;
  double interval_ = 0.5;
  bool once_ = false;
};

} // namespace sartor::cli

#endif
