// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_AGENTS_ENVIRONMENT_H
#define SARTOR_LOADER_AGENTS_ENVIRONMENT_H

namespace sartor::agents {

/// What a pass has told an agent by a variable, which is no business of the program's and of those
/// that it starts: the variable is gone afterwards. nullptr if it is not set. Before the program
/// begins, from one thread.
const char *take_variable(const char *name);

/// Takes the library that this is part of out of LD_PRELOAD, as take_variable() does.
void leave_preload();

} // namespace sartor::agents

#endif
