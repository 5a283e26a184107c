// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_LD_SURVEY_H
#define SARTOR_TOOLS_CLI_LD_SURVEY_H

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace sartor::cli {

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

} // namespace sartor::cli

#endif
