// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order.h"

__attribute__((constructor(300))) static void second(void) { puts("second of the upper library"); }
__attribute__((constructor(200))) static void first(void) { puts("first of the upper library"); }
__attribute__((constructor)) static void begin(int argc, char **argv, char **environment) {
  lower();
  say("constructor of the upper library", argc, argv, environment);
}
__attribute__((destructor)) static void end(void) { puts("destructor of the upper library"); }

void upper(void) { puts("upper library"); }
