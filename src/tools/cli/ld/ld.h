// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_LD_LD_H
#define SARTOR_TOOLS_CLI_LD_LD_H

#include <string>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "tools/cli/ld/commands.h"
#include "tools/cli/ld/probe.h"

namespace sartor::cli {

/// `sartor ld`; `show PROGRAM` prints the loader's prelink image of a program and its libraries.
class LdCommand {
public:
  explicit LdCommand(CLI::App &app);

  /// Runs after the command line has been parsed. Fails with file_error, bad_elf.
  Result<void> run() const;

private:
  CLI::App *command_;
  LdCheckCommand check_;
  LdEnableCommand enable_;
  LdPlanCommand plan_;
  LdProbeCommand probe_;
  LdProfileCommand profile_;
  LdReplanCommand replan_;
  LdSignCommand sign_;
  LdSurveyCommand survey_;
  LdVerifyCommand verify_;
  std::string program_;
  bool json_ = false;
};

} // namespace sartor::cli

#endif
