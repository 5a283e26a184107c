// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_DOCTOR_CHECKS_OF_INSTALLATION_H
#define SARTOR_TOOLS_CLI_DOCTOR_CHECKS_OF_INSTALLATION_H

#include "tools/cli/doctor/check.h"
#include "tools/cli/installation.h"

namespace sartor::cli {

/// Checks the parts of Sartor, clang, and the environment, and builds and runs a program of which a
/// handler is specialized.
Checks checks_of_installation(const Installation &here);

} // namespace sartor::cli

#endif
