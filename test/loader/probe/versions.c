// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define _GNU_SOURCE
#include <dlfcn.h>

#include "check.h"

int measure(void);
int measure_old(void);
__asm__(".symver measure_old, measure@PROBE_1");

int main(void) {
  CHECK(measure() == 2);
  CHECK(measure_old() == 1);
  int (*old)(void) = (int (*)(void))dlvsym(RTLD_DEFAULT, "measure", "PROBE_1");
  int (*latest)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "measure");
  CHECK(old && old() == 1);
  CHECK(latest && latest() == 2);
  CHECK(!dlvsym(RTLD_DEFAULT, "measure", "PROBE_3"));
  CHECK(old == measure_old && latest == measure);
  return wrong_count();
}
