// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_FRONT_ENVIRONMENT_H
#define SARTOR_LOADER_FRONT_ENVIRONMENT_H

#include "front/plan.h"
#include "front/stack.h"

namespace sartor::front {

/// A copy that lives as long as the program.
const char *keep_text(const char *text);

/// Puts what passes want into the program's environment. The stack's top moves, by 16 bytes for
/// each variable at most. Returns the environment as it was.
char **set_environment(const Plan &plan, Stack &stack);

} // namespace sartor::front

#endif
