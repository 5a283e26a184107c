// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_LD_ENABLE_H
#define SARTOR_TOOLS_CLI_LD_ENABLE_H

#include <string>

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace sartor::cli {

/// `sartor ld enable UNIT` and `sartor ld disable UNIT`: a drop-in file lets systemd start a
/// service by sartor-ld. Neither needs a running systemd.
class LdEnableCommand {
public:
  /// `ld` is the parent command.
  explicit LdEnableCommand(CLI::App &ld);

  [[nodiscard]] bool is_meant() const { return enable_->parsed() || disable_->parsed(); }
  /// Fails with file_error, and with bad_settings for a unit that cannot start so.
  Result<void> run() const;

private:
  CLI::App *enable_;
  CLI::App *disable_;
  std::string unit_;
  std::string root_ = "/";
};

} // namespace sartor::cli

#endif
