// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_LD_H
#define SARTOR_TOOLS_CLI_LD_H

#include <string>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "tools/cli/ld_check.h"
#include "tools/cli/ld_plan.h"
#include "tools/cli/ld_sign.h"
#include "tools/cli/ld_survey.h"

namespace sartor::cli {

/// `sartor ld`; `show PROGRAM` prints the loader's prelink image of a program and its libraries.
class LdCommand {
public:
  explicit LdCommand(CLI::App &app);

  /// Runs after the command line has been parsed. Fails with file_error, bad_elf.
  Result<void> run() const;

private:
  Result<void> show() const;

  CLI::App *command_;
  LdCheckCommand check_;
  LdPlanCommand plan_;
  LdSignCommand sign_;
  LdSurveyCommand survey_;
  std::string program_;
  bool json_ = false;
};

} // namespace sartor::cli

#endif
