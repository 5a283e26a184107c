// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_FRONT_FALLBACK_H
#define SARTOR_LOADER_FRONT_FALLBACK_H

#include "front/plan.h"

namespace sartor::front {

/// What becomes of a program that cannot be started as it is planned. Nothing else gives one to the
/// stock loader, and nothing does once code of the program has run.
struct Fallback {
  const char *path; ///< The program's.
  char **arguments;
  char **environment;
  bool is_required; ///< It starts as planned, or not at all.
};

[[noreturn]] void leave(int status);

/// Says why, and has the stock loader start the program as if there were no front, or refuses it
/// with 126. `why`: nullptr if that has been said.
[[noreturn]] void fall_back(const Fallback &fallback, const char *why);

/// Likewise, without a word if the kernel executes it: it is none of the loader's business.
[[noreturn]] void leave_alone(const Fallback &fallback, const char *why);

/// Likewise, for who goes on in a program that the kernel has just loaded: returns if that may go
/// on as it is.
void go_on_as_it_is(const Fallback &fallback, const char *why);

/// Has the front plan the program anew and start it so. Returns if it cannot be told to. `is_own`:
/// whether the kernel has executed the program.
void plan_again(const Plan &plan, const Fallback &fallback, bool is_own);

/// Has the kernel execute the program.
[[noreturn]] void execute(const Fallback &fallback);

} // namespace sartor::front

#endif
