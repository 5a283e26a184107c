// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_SERVER_H
#define SARTOR_TOOLS_CLI_SERVER_H

#include <string>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "remote/protocol/admin_message.h"

namespace sartor::cli {

/// `sartor server`: shows and controls a running sartor-server.
class ServerCommand {
public:
  explicit ServerCommand(CLI::App &app);

  /// Fails with compiler_lost, no_compiler, server_refused.
  Result<void> run() const;

private:
  void add_action(CLI::App &command, const char *name, const char *help, const char *example);
  [[nodiscard]] Result<std::string> ask(remote::AdminRequest request) const;

  CLI::App *command_;
  std::string address_;
  std::string server_key_;
  std::string key_;
  std::string client_;
  std::string answer_;
  bool all_ = false;
  bool json_ = false;
};

} // namespace sartor::cli

#endif
