// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_LD_CHECK_H
#define SARTOR_TOOLS_CLI_LD_CHECK_H

#include <string>

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace sartor::cli {

/// `sartor ld check`: checks that the stored prelink images are as they were written. The front
/// checks only their plans: it would have to read all images at each start.
class LdCheckCommand {
public:
  /// `ld` is the parent command.
  explicit LdCheckCommand(CLI::App &ld);

  [[nodiscard]] bool is_meant() const { return command_->parsed(); }
  /// Deletes damaged images. Fails with bad_plan if there are any.
  Result<void> run() const;

private:
  CLI::App *command_;
  std::string directory_;
};

} // namespace sartor::cli

#endif
