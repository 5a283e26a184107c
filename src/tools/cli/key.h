// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_KEY_H
#define SARTOR_TOOLS_CLI_KEY_H

#include <string>

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace sartor::cli {

/// `sartor key`: generates an Ed25519 key pair.
class KeyCommand {
public:
  explicit KeyCommand(CLI::App &app);

  /// Fails with file_error.
  Result<void> run() const;

private:
  std::string name_;
};

} // namespace sartor::cli

#endif
