/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A static function with the name and a variable with the name of work.c's, of other types. */
#include "work.h"

static long level = 3;
static double helper(double x) { return x * level; }
double other(double x) {
  level += x > 100;
  return helper(x) + helper(x + 1);
}
extern inline int shared(int x);
inline int shared(int x) { return x + level_of_header(); }
