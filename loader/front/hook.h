// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_FRONT_HOOK_H
#define SARTOR_LOADER_FRONT_HOOK_H

#include "front/fallback.h"
#include "front/plan.h"
#include "front/stack.h"

namespace sartor::front {

/// The parameters of one start of a program.
struct Start {
  const char *path;   ///< Path of the program.
  bool is_own;        ///< The kernel has executed the program, not the front.
  bool is_required;   ///< The program starts as planned, or not at all.
  bool is_last_trial; ///< The program has been planned again for this start.
};

/// Answers the stock loader's system calls while it loads a program's libraries: planned libraries
/// are already mapped. When the stock loader reports to debuggers that all libraries are loaded,
/// they are compared with the plan, and the interception ends unless later loads are checked. If
/// they differ, the program is planned again or given to the stock loader: none of its code has run
/// yet. `arena`: the arena's address. `environment`: the environment that the program was started
/// with, without the variables of passes.
void hook(const Plan &plan, uint64_t arena, const Stack &stack, char **environment,
          const Start &start);

} // namespace sartor::front

#endif
