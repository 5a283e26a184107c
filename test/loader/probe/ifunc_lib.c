// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
static int generic(void) { return 1; }
static int special(void) { return 2; }
static volatile int zero;

typedef int (*Function)(void);

/// Chooses by the state when libraries are loaded, as real resolvers choose by the processor.
static Function choose(void) {
  __builtin_cpu_init();
  return zero || !__builtin_cpu_supports("sse2") ? generic : special;
}

int chosen_at_start(void) __attribute__((ifunc("choose")));

int chosen_inside(void) { return chosen_at_start(); }
Function address_of_chosen(void) { return chosen_at_start; }
