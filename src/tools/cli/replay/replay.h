// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_REPLAY_REPLAY_H
#define SARTOR_TOOLS_CLI_REPLAY_REPLAY_H

#include <string>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "tools/cli/replay/execute.h"

namespace sartor::cli {

/// `sartor replay`: repeats a call in which a variant differed from the native code.
class ReplayCommand {
public:
  explicit ReplayCommand(CLI::App &app);

  Result<void> run() const;

private:
  Result<void> find_pass(const RecordedCall &call, const Execution &native,
                         const Execution &variant) const;

  std::string directory_;
  std::string program_;
  std::string reduced_;
  std::string module_;
  bool bisect_ = false;
};

} // namespace sartor::cli

#endif
