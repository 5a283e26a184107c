// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CLI_LD_H
#define SARTOR_CLI_LD_H

#include <string>

#include <CLI/CLI.hpp>

#include "observe/result.h"

namespace sartor::cli {

/// `sartor ld show PROGRAM`: what the loader sees of a program and its libraries.
class LdCommand {
public:
  explicit LdCommand(CLI::App &app);

  /// After the command line has been parsed. Fails with file_error, bad_elf.
  Result<void> run() const;

private:
  std::string program_;
  bool json_ = false;
};

} // namespace sartor::cli

#endif
