// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_DOCTOR_CHECKS_OF_CGROUP_H
#define SARTOR_TOOLS_CLI_DOCTOR_CHECKS_OF_CGROUP_H

#include <filesystem>

#include "tools/cli/doctor/check.h"

namespace sartor::cli {

/// Checks the limits of a cgroup (version 2) and of those above it, up to `root`. A file that is
/// missing sets no limit.
Checks checks_of_cgroup(const std::filesystem::path &group, const std::filesystem::path &root);

} // namespace sartor::cli

#endif
