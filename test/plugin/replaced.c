/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "replaced.h"

#include <sartor/points.h>

static int default_hook(int x) { return x + 1; }
int hook(int x) __attribute__((weak, alias("default_hook")));

int default_limit = 10;
extern int limit __attribute__((weak, alias("default_limit")));

SARTOR_HANDLER int call_hook(int x) {
  x = sartor_generic("hooked", x);
  return hook(x) * 1000 + limit + default_hook(x);
}

SARTOR_HANDLER __attribute__((weak)) int weak_handler(int x) {
  return sartor_generic("weak", x) + 7;
}

SARTOR_HANDLER __attribute__((weak)) int kept_weak_handler(int x) {
  return sartor_generic("kept", x) + 7;
}

__attribute__((weak)) int weak_callee(int x) { return sartor_generic("in callee", x) + 1; }

__attribute__((weak)) int kept_weak_callee(int x) { return sartor_generic("in kept", x) + 1; }

SARTOR_HANDLER int call_weak_callee(int x) { return weak_callee(x) + kept_weak_callee(x); }

__asm__(".data\n"
        ".globl assembly_state\n"
        "assembly_state: .quad 5\n"
        ".text\n");

SARTOR_HANDLER long add_to_state(long x) {
  assembly_state += sartor_generic("state", x);
  return assembly_state;
}
