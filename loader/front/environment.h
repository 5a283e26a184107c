// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_FRONT_ENVIRONMENT_H
#define SARTOR_LOADER_FRONT_ENVIRONMENT_H

#include "front/plan.h"
#include "front/stack.h"

namespace sartor::front {

/// Returns a copy that lives as long as the program.
const char *keep_text(const char *text);

/// Adds the variables that passes request to the program's environment. The top of the stack moves
/// by at most 16 bytes for each variable. Returns a copy of the environment before the change.
char **set_environment(const Plan &plan, Stack &stack);

} // namespace sartor::front

#endif
