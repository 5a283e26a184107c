// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_LD_PROBE_H
#define SARTOR_TOOLS_CLI_LD_PROBE_H

#include <filesystem>
#include <string>

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace sartor::cli {

/// Returns the directory in which the loader's front stores images.
std::filesystem::path image_directory();

/// `sartor ld probe`: prints each place, a file and an offset, that a function's code comes from.
class LdProbeCommand {
public:
  /// `ld` is the parent command.
  explicit LdProbeCommand(CLI::App &ld);

  [[nodiscard]] bool is_meant() const { return command_->parsed(); }
  /// Fails with file_error, bad_elf.
  Result<void> run() const;

private:
  CLI::App *command_;
  std::string library_;
  std::string symbol_;
  std::string directory_;
};

} // namespace sartor::cli

#endif
