// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_COMPILE_H
#define SARTOR_TOOLS_CLI_COMPILE_H

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace sartor::cli {

/// `sartor compile` makes variants of a program before it runs, and puts them into its file.
class CompileCommand {
public:
  explicit CompileCommand(CLI::App &app);

  /// After the command line has been parsed. What cannot be made is told on standard error; fails
  /// then, and where nothing could be made, and leaves the file as it was.
  Result<void> run() const;

private:
  std::string program_;
  std::string output_;
  std::vector<std::string> configurations_;
  std::vector<std::string> processors_{"native"};
};

} // namespace sartor::cli

#endif
