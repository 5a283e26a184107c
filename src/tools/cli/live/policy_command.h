// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_LIVE_POLICY_COMMAND_H
#define SARTOR_TOOLS_CLI_LIVE_POLICY_COMMAND_H

#include <cstddef>
#include <string>

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace sartor::cli {

/// `sartor policy`: shows and changes what this user's programs switch off when they start.
class PolicyCommand {
public:
  explicit PolicyCommand(CLI::App &app);

  [[nodiscard]] bool is_meant() const { return command_->parsed(); }
  /// Fails with file_error, bad_json, bad_elf, bad_argument.
  Result<void> run() const;

private:
  Result<void> list() const;
  Result<void> add() const;
  Result<void> remove() const;

  CLI::App *command_;
  CLI::App *add_;
  CLI::App *remove_;
  std::string program_;
  std::string name_;
  std::size_t number_ = 0;
};

} // namespace sartor::cli

#endif
