// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_FRONT_HOOK_H
#define SARTOR_LOADER_FRONT_HOOK_H

#include "front/fallback.h"
#include "front/plan.h"
#include "front/stack.h"

namespace sartor::front {

/// A start of a program.
struct Start {
  const char *path;   ///< The program's.
  bool is_own;        ///< Whether the kernel has executed it.
  bool is_required;   ///< It starts as planned, or not at all.
  bool is_last_trial; ///< It has been planned anew for this start.
};

/// Answers the stock loader's system calls while it loads a program's libraries: those that are
/// planned are there already. When the stock loader tells debuggers that it has them all, they are
/// compared with the plan, and nobody stands between any more. With another library among them, the
/// program is planned anew, or given to the stock loader: nothing of it has run yet.
/// `arena`: where the arena lies. `environment`: what the program was started with, without what
/// passes want in it.
void hook(const Plan &plan, uint64_t arena, const Stack &stack, char **environment,
          const Start &start);

} // namespace sartor::front

#endif
