/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Variables of a library that its declarations name. */
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

/* The number of times that the program has been asked. */
int times_asked(void);
int times_asked(void) { return asked; }
