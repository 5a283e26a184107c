// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order.h"

__attribute__((constructor)) static void begin(int argc, char **argv, char **environment) {
  say("constructor of the lower library", argc, argv, environment);
}
__attribute__((destructor)) static void end(void) { puts("destructor of the lower library"); }
static void at_exit(void) { puts("atexit of the lower library"); }

void lower(void) { atexit(at_exit); }
void initialise(void) { puts("DT_INIT of the lower library"); }
void finish(void) { puts("DT_FINI of the lower library"); }
