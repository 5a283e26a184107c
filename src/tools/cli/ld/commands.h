// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_LD_COMMANDS_H
#define SARTOR_TOOLS_CLI_LD_COMMANDS_H

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "base/text/json.h"

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

/// `sartor ld profile`: makes a profile for the pass `hot` of outputs of `perf script` and of other
/// profiles.
class LdProfileCommand {
public:
  /// `ld` is the parent command.
  explicit LdProfileCommand(CLI::App &ld);

  [[nodiscard]] bool is_meant() const { return command_->parsed(); }
  /// Writes the profile, and warns of samples that are not in it. Fails with file_error,
  /// bad_settings.
  Result<void> run() const;

private:
  CLI::App *command_;
  std::string output_;
  std::vector<std::string> files_;
};

/// `sartor ld replan`: plans programs again whose files have changed, so that their next start need
/// not.
class LdReplanCommand {
public:
  /// `ld` is the parent command.
  explicit LdReplanCommand(CLI::App &ld);

  [[nodiscard]] bool is_meant() const { return command_->parsed(); }
  /// Prints a line for each program, and the sums. Fails with file_error if the directory cannot be
  /// read, or if sartor-ld is not next to this command.
  Result<void> run() const;

private:
  CLI::App *command_;
  std::string directory_;
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

/// `sartor ld verify`: runs a program's test commands with the stock loader and with sartor-ld, and
/// has the stock loader start the program if they differ.
class LdVerifyCommand {
public:
  /// `ld` is the parent command.
  explicit LdVerifyCommand(CLI::App &ld);

  [[nodiscard]] bool is_meant() const { return command_->parsed(); }
  /// Prints the outcome of each command. Fails with bad_plan if one differs, or if the program is
  /// not started as planned; with bad_argument, file_error.
  Result<void> run() const;

private:
  /// A command in both ways.
  struct Ways {
    std::string text;
    std::vector<std::string> stock;
    std::vector<std::string> planned;
    std::vector<std::string> stock_variables;
    std::vector<std::string> planned_variables;
  };

  [[nodiscard]] Result<std::vector<Ways>> commands() const;
  /// Returns fields: `command`, `outcome`, and lists of what differs and what is not compared.
  [[nodiscard]] Result<nlohmann::ordered_json> compare(const Ways &ways) const;

  CLI::App *command_;
  bool shadow_ = false;
  std::string program_;
  std::string file_;
  std::vector<std::string> outputs_;
  double seconds_ = 60;
  bool json_ = false;
  std::vector<std::string> words_;
};

} // namespace sartor::cli

#endif
