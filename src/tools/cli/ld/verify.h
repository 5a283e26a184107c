// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_LD_VERIFY_H
#define SARTOR_TOOLS_CLI_LD_VERIFY_H

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "base/text/json.h"

namespace sartor::cli {

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
