// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constructors and destructors of the program and of two libraries that depend on each other in a
// chain.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "order.h"

static void early(int argc, char **argv, char **environment) {
  say("preinit of the program", argc, argv, environment);
}
__attribute__((section(".preinit_array"), used)) static void (*preinit)(int, char **,
                                                                        char **) = early;

__attribute__((constructor)) static void begin(int argc, char **argv, char **environment) {
  say("constructor of the program", argc, argv, environment);
}
__attribute__((constructor(200))) static void begin_first(void) { puts("first constructor"); }
__attribute__((destructor)) static void end(void) { puts("destructor of the program"); }
static void at_exit(void) { puts("atexit of the program"); }

int main(int argc, char **argv, char **environment) {
  say("main", argc, argv, environment);
  atexit(at_exit);
  lower();
  upper();
  if (argc > 2 && strcmp(argv[2], "exit") == 0)
    exit(7);
  return 6;
}
