// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_FRONT_FALLBACK_H
#define SARTOR_LOADER_FRONT_FALLBACK_H

#include "front/plan.h"

namespace sartor::front {

/// The fallback for a program that cannot be started as planned. Only these functions give a
/// program to the stock loader, and never after code of the program has run.
struct Fallback {
  const char *path; ///< Path of the program.
  char **arguments;
  char **environment;
  bool is_required;        ///< The program starts as planned, or not at all.
  bool only_plans = false; ///< The program is not started.
};

[[noreturn]] void leave(int status);

/// Reports the reason and lets the stock loader start the program as if there were no front, or
/// refuses the program with status 126. `why`: nullptr if the reason has already been reported.
[[noreturn]] void fall_back(const Fallback &fallback, const char *why);

/// Falls back like fall_back(), but reports nothing if the kernel executes the program, for
/// programs that are not the loader's concern.
[[noreturn]] void leave_alone(const Fallback &fallback, const char *why);

/// Falls back like fall_back(), for a front that continues in a program that the kernel has just
/// loaded: returns if the program may continue without the plan.
void go_on_as_it_is(const Fallback &fallback, const char *why);

/// Executes the front to plan the program again and start it. Returns if that is not possible.
/// `is_own`: the kernel has executed the program.
void plan_again(const Plan &plan, const Fallback &fallback, bool is_own);

/// Lets the kernel execute the program.
[[noreturn]] void execute(const Fallback &fallback);

} // namespace sartor::front

#endif
