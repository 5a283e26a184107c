// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_USAGE_H
#define SARTOR_TOOLS_CLI_USAGE_H

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace sartor::cli {

/// The exit status after a command line that cannot be understood.
constexpr int kWrongUsage = 2;

/// Ends a command's --help with an example. A test runs --help of all commands: each has one.
void add_example(CLI::App &command, const std::string &example);

/// `sartor help [COMMAND...]`
class HelpCommand {
public:
  explicit HelpCommand(CLI::App &app);

  [[nodiscard]] bool is_meant() const { return command_->parsed(); }
  /// Prints the help of a command, or all commands, and returns the exit status.
  [[nodiscard]] int run() const;

private:
  const CLI::App *app_;
  const CLI::App *command_;
  std::vector<std::string> words_;
  bool all_ = false;
};

/// Prints the outcome of a command line that was not parsed, such as help, an error with the
/// nearest right name, or the commands of a group if none is given. Returns the exit status.
int report_usage(const CLI::App &app, const std::vector<std::string> &words,
                 const CLI::ParseError &error);

} // namespace sartor::cli

#endif
