// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_RUN_H
#define SARTOR_TOOLS_CLI_RUN_H

#include <filesystem>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace sartor::cli {

/// Returns the path of a program in the directory of the `sartor` command (links are followed),
/// whether or not it is there. Fails with file_error.
Result<std::filesystem::path> sibling(const std::string &name);

/// Replaces this process by a program in the directory of the `sartor` command (links are
/// followed), with the same environment. Returns only on failure: file_error.
Failure become_sibling(const std::string &name, const std::vector<std::string> &arguments);

/// `sartor run`: starts a program through the loader's front, `sartor-ld`.
class RunCommand {
public:
  /// The exit status if there is no front, as of a shell if there is no program.
  static constexpr int no_front = 127;

  /// `arguments` is the command line of main(). The program's part is not passed to the parser: see
  /// own_arguments().
  RunCommand(CLI::App &app, const std::vector<std::string> &arguments);

  [[nodiscard]] bool is_meant() const { return command_->parsed(); }
  /// Returns the arguments to be parsed, in reverse order, as the parser requires.
  [[nodiscard]] std::vector<std::string> own_arguments() const;
  /// Replaces this process by the program. Throws CLI::ParseError if none is named; returns only if
  /// the front cannot be executed.
  [[nodiscard]] Failure run() const;

private:
  CLI::App *command_;
  std::vector<std::string> own_;
  std::vector<std::string> program_; ///< The program with its arguments.
  std::string passes_;
  std::string config_;
  bool strict_ = false;
  bool observable_ = false;
  bool in_place_ = false;
};

} // namespace sartor::cli

#endif
