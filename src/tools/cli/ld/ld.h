// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_LD_LD_H
#define SARTOR_TOOLS_CLI_LD_LD_H

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "tools/cli/ld/commands.h"
#include "tools/cli/ld/probe.h"

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
  bool is_observable_ = false;
};

/// `sartor ld sign`: signs programs and libraries, for the pass `verify`.
class LdSignCommand {
public:
  explicit LdSignCommand(CLI::App &ld);

  [[nodiscard]] bool is_meant() const { return command_->parsed(); }
  /// Prints a line for each file. Stops at the first that cannot be signed. Fails with file_error.
  Result<void> run() const;

private:
  CLI::App *command_;
  std::string key_;
  std::string signatures_;
  bool with_libraries_ = false;
  std::vector<std::string> files_;
};

/// `sartor ld survey`: lists the libraries that would be packed, and the reasons why others would
/// not.
class LdSurveyCommand {
public:
  /// `ld` is the parent command.
  explicit LdSurveyCommand(CLI::App &ld);

  [[nodiscard]] bool is_meant() const { return command_->parsed(); }
  /// Fails with file_error if there is no library.
  Result<void> run() const;

private:
  CLI::App *command_;
  std::vector<std::string> places_;
};

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
