// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_COMPILE_H
#define SARTOR_TOOLS_CLI_COMPILE_H

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace sartor::cli {

/// `sartor compile` makes variants of a program ahead of time, and puts them into its file.
class CompileCommand {
public:
  explicit CompileCommand(CLI::App &app);

  /// Runs after the command line has been parsed. Variants that cannot be made are reported on
  /// standard error; then, and if nothing could be made, it fails and leaves the file as it was.
  Result<void> run() const;

private:
  std::string program_;
  std::string output_;
  std::vector<std::string> configurations_;
  std::vector<std::string> processors_{"native"};
};

} // namespace sartor::cli

#endif
