// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_LD_PROFILE_H
#define SARTOR_TOOLS_CLI_LD_PROFILE_H

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace sartor::cli {

/// `sartor ld profile`: makes a profile for the pass `hot` of outputs of `perf script` and of other
/// profiles.
class LdProfileCommand {
public:
  /// `ld` is the parent command.
  explicit LdProfileCommand(CLI::App &ld);

  [[nodiscard]] bool is_meant() const { return command_->parsed(); }
  /// Writes the profile, and warns of samples that are not in it. Fails with file_error,
  /// bad_settings.
  Result<void> run() const;

private:
  CLI::App *command_;
  std::string output_;
  std::vector<std::string> files_;
};

} // namespace sartor::cli

#endif
