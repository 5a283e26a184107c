// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_QUARANTINE_QUARANTINE_COMMAND_H
#define SARTOR_TOOLS_CLI_QUARANTINE_QUARANTINE_COMMAND_H

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "core/quarantine/quarantine.h"

namespace sartor::cli {

/// The quarantine of programs that this user starts without Options::state_directory.
core::Quarantine &users_quarantine();
/// Its entries, after crash markers have become some. Fails with file_error.
Result<std::vector<core::QuarantineEntry>> quarantined_for_user();

/// `sartor quarantine list|show|remove|clear`.
class QuarantineCommand {
public:
  explicit QuarantineCommand(CLI::App &app);

  [[nodiscard]] bool is_meant() const { return command_->parsed(); }
  /// Fails with file_error, bad_argument.
  [[nodiscard]] Result<void> run() const;

private:
  CLI::App *command_;
  CLI::App *show_;
  CLI::App *remove_;
  CLI::App *clear_;
  std::string key_;
  bool json_ = false;
};

} // namespace sartor::cli

#endif
