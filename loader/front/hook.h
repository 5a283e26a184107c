// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_FRONT_HOOK_H
#define SARTOR_FRONT_HOOK_H

#include "front/plan.h"
#include "front/stack.h"

namespace sartor::front {

/// Answers the stock loader's system calls while it loads a program's libraries: those that are
/// planned are there already. When all have been asked for, nobody stands between any more.
/// `arena`: where the arena lies. `path`: of the program; `is_own`: whether the kernel has executed
/// it.
void hook(const Plan &plan, uint64_t arena, const Stack &stack, const char *path, bool is_own);

/// Starts the program as if there were no front; nothing of it has run. Does not return.
[[noreturn]] void start_stock(const char *path, char **arguments, char **environment);

} // namespace sartor::front

#endif
