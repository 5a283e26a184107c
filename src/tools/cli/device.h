// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_DEVICE_H
#define SARTOR_TOOLS_CLI_DEVICE_H

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace sartor::cli {

/// `sartor device`: generates the server's module and the device's C file from handlers' bitcode.
class DeviceCommand {
public:
  explicit DeviceCommand(CLI::App &app);

  /// Fails as opening the bitcode does, and with wrong_target, file_error.
  Result<void> run() const;

private:
  std::string bitcode_;
  std::string target_;
  std::string output_;
  std::string native_;
  std::vector<std::string> symbols_;
};

} // namespace sartor::cli

#endif
