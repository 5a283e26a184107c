// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_NEW_NEW_H
#define SARTOR_TOOLS_CLI_NEW_NEW_H

#include <CLI/CLI.hpp>

#include "tools/cli/new/project.h"

namespace sartor::cli {

/// `sartor new`: writes a project that builds and runs.
class NewCommand {
public:
  explicit NewCommand(CLI::App &app);

  Result<void> run() const;

private:
  Project project_{.name = {}, .language = "c++"};
};

} // namespace sartor::cli

#endif
