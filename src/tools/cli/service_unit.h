// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_SERVICE_UNIT_H
#define SARTOR_TOOLS_CLI_SERVICE_UNIT_H

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace sartor::cli {

/// The start of a service, as its unit file of systemd and its drop-in files describe it.
struct ServiceUnit {
  std::vector<std::string> commands; ///< Values of ExecStart=.
  bool is_of_root = true;            ///< Neither User= nor DynamicUser= is set.
  bool is_var_readonly = false;      ///< ProtectSystem=strict is set.

  /// Reads a service below a root directory. `name` ends with `.service`. `own` is the name of a
  /// drop-in file that does not count and that is to set ExecStart=. Fails with file_error, and
  /// with bad_settings if systemd applies another drop-in file with ExecStart= after it.
  static Result<ServiceUnit> read(const std::filesystem::path &root, const std::string &name,
                                  const std::string &own);
};

} // namespace sartor::cli

#endif
