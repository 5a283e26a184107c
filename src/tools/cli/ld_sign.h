// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_LD_SIGN_H
#define SARTOR_TOOLS_CLI_LD_SIGN_H

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace sartor::cli {

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

} // namespace sartor::cli

#endif
