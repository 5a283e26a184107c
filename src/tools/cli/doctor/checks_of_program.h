// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_DOCTOR_CHECKS_OF_PROGRAM_H
#define SARTOR_TOOLS_CLI_DOCTOR_CHECKS_OF_PROGRAM_H

#include <string>

#include "tools/cli/doctor/check.h"

namespace sartor::cli {

/// Checks a program or library: the libraries that it loads, its handlers, points and write guards.
/// Runs the dynamic linker on it, but nothing of the program.
Checks checks_of_program(const std::string &path);

} // namespace sartor::cli

#endif
