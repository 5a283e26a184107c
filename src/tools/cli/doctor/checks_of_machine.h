// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_DOCTOR_CHECKS_OF_MACHINE_H
#define SARTOR_TOOLS_CLI_DOCTOR_CHECKS_OF_MACHINE_H

#include "tools/cli/doctor/check.h"

namespace sartor::cli {

/// Checks what the kernel and its policies allow this process, and the limits of its cgroup.
Checks checks_of_machine();

} // namespace sartor::cli

#endif
