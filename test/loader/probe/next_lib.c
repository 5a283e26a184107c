// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One of several libraries with a function that calls the next library's one.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

#ifndef NUMBER
#define NUMBER 1
#endif

int chain(void) {
  int (*next)(void) = (int (*)(void))dlsym(RTLD_NEXT, "chain");
  if (next == NULL)
    return NUMBER;
  const int rest = next();
  int factor = 10;
  while (factor <= rest)
    factor *= 10;
  return NUMBER * factor + rest;
}
