// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_INSTALLATION_H
#define SARTOR_TOOLS_CLI_INSTALLATION_H

#include <filesystem>

#include "base/result.h"

namespace sartor::cli {

/// Where the parts of Sartor are: in the installation, or the build directory, of the running
/// command. A path says where a part belongs; the file may be missing.
struct Installation {
  std::filesystem::path prefix;
  std::filesystem::path programs;  ///< Directory of `sartor` and `sartor-cc`.
  std::filesystem::path libraries; ///< Directory of `libsartor.so`.
  std::filesystem::path headers;   ///< Directory that contains `sartor/`.
  std::filesystem::path plugin;    ///< The compiler plugin.
  std::filesystem::path crates;    ///< Directory of the Rust crates.
  std::filesystem::path page;      ///< The page of `sartor report` and `sartor view`.

  /// Fails with file_error if /proc does not name the running command.
  static Result<Installation> of_this_command();
};

} // namespace sartor::cli

#endif
