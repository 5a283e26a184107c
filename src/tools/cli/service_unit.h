// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_SERVICE_UNIT_H
#define SARTOR_TOOLS_CLI_SERVICE_UNIT_H

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace sartor::cli {

/// What a unit file of systemd and its drop-in files say about a service's start.
struct ServiceUnit {
  std::vector<std::string> commands; ///< Values of ExecStart=.
  bool is_of_root = true;            ///< Neither User= nor DynamicUser= is set.

  /// Reads a service below a root directory. `name` ends with `.service`. The drop-in file
  /// `ignored` does not count. Fails with file_error.
  static Result<ServiceUnit> read(const std::filesystem::path &root, const std::string &name,
                                  const std::string &ignored);
};

} // namespace sartor::cli

#endif
