// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_DOCTOR_DOCTOR_H
#define SARTOR_TOOLS_CLI_DOCTOR_DOCTOR_H

#include <string>

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace sartor::cli {

/// `sartor doctor`: checks an installation, this machine, and a program.
class DoctorCommand {
public:
  explicit DoctorCommand(CLI::App &app);

  /// Returns whether no check found an error.
  [[nodiscard]] Result<bool> run() const;

private:
  std::string program_;
  bool json_ = false;
};

} // namespace sartor::cli

#endif
