// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_LD_CHECK_H
#define SARTOR_TOOLS_CLI_LD_CHECK_H

#include <string>

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace sartor::cli {

/// `sartor ld check`: whether the images that the loader keeps are what has been written. The front
/// only looks at their plans: it would have to read all of them at each start.
class LdCheckCommand {
public:
  /// `ld`: whose subcommand it is.
  explicit LdCheckCommand(CLI::App &ld);

  [[nodiscard]] bool is_meant() const { return command_->parsed(); }
  /// Deletes those that are damaged. Fails with bad_plan if there are such.
  Result<void> run() const;

private:
  CLI::App *command_;
  std::string directory_;
};

} // namespace sartor::cli

#endif
