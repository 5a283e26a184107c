// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_NEW_PROJECT_H
#define SARTOR_TOOLS_CLI_NEW_PROJECT_H

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/cli/installation.h"

namespace sartor::cli {

/// A project to be written: a handler with one point, and a program that specializes it.
struct Project {
  std::string name;     ///< Of its directory and its program: letters, digits, `-` and `_`.
  std::string language; ///< `c`, `c++`, `rust` or `python`.
};

/// Writes the project into `directory`, which must be missing or empty, and returns the paths of
/// its files. The files refer to `here`. Fails with bad_argument and file_error.
Result<std::vector<std::filesystem::path>> write_project(const Project &project,
                                                         const std::filesystem::path &directory,
                                                         const Installation &here);

/// Returns the shell commands that build and run the project in `directory`, each on a line.
std::string commands_for(const Project &project, const std::filesystem::path &directory,
                         const Installation &here);

} // namespace sartor::cli

#endif
