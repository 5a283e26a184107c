// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that the stock loader identifies by the address that it returns to.
#define _GNU_SOURCE
#include "hot.h"

#include <dlfcn.h>

#define APART __attribute__((noinline))

static int count;

APART void *hot_next_malloc(void) {
  void *found = dlsym(RTLD_NEXT, "malloc");
  ++count;
  return found;
}

/// dlsym() returns to the caller.
static APART void *pass_on(const char *name) { return dlsym(RTLD_NEXT, name); }
APART void *hot_wrapped_next(const char *name) {
  void *found = pass_on(name);
  ++count;
  return found;
}

APART int hot_dl_call(int (*callback)(int), int number) { return callback(number) + count; }
