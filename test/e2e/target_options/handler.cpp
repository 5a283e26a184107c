// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <version>

#include <warns.h>

#include <sartor/points.h>

#ifndef __clang__
#error "handlers are compiled by clang"
#endif
#if !defined SARTOR_POINTS || !defined SET_AFTER_THE_CALL
#error "a definition is missing"
#endif
#if __cplusplus != 202002L || !defined __STRICT_ANSI__
#error "the language standard of the target is not in force"
#endif

extern "C" int second(int);

SARTOR_HANDLER const char *greeting(int index) {
  const int which = sartor_generic("which", index);
  return second(which) == one() ? GREETING : "";
}
