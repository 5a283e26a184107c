// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define _GNU_SOURCE
#include <dlfcn.h>

const char *greeting(void) { return "good night"; }

long labs(long number) {
  long (*next)(long) = (long (*)(long))dlsym(RTLD_NEXT, "labs");
  return next ? next(number) + 1 : -1;
}
