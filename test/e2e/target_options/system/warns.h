// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARNS_H
#define WARNS_H

// A warning in a system header must not be an error.
static inline int one(void) {
  int unused;
  return 1;
}

#endif
