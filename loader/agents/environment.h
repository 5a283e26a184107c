// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_AGENTS_ENVIRONMENT_H
#define SARTOR_LOADER_AGENTS_ENVIRONMENT_H

namespace sartor::agents {

/// Returns the value of a variable that a pass has set for an agent, and removes the variable from
/// the environment, so that neither the program nor its children see it. Returns nullptr if it is
/// not set. Call it before the program begins, from one thread.
const char *take_variable(const char *name);

/// Removes the library that contains this function from LD_PRELOAD, under the conditions of
/// take_variable().
void leave_preload();

} // namespace sartor::agents

#endif
