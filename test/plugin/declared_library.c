/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the declarations of a library name, in it. */
#include "declared.h"

static int asked;

int refuses_mode(void *address, unsigned long size) {
  (void)address;
  (void)size;
  ++asked;
  return 1;
}

int reinforces_depth(void *address, unsigned long size) {
  (void)address;
  (void)size;
  return 1;
}

/* How often the program has been asked. */
int times_asked(void);
int times_asked(void) { return asked; }
