/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The values in the maps of random objects. */
#ifndef SARTOR_TEST_KERNEL_RANDOM_VALUE_H
#define SARTOR_TEST_KERNEL_RANDOM_VALUE_H

#include <linux/types.h>

enum { kKeys = 8 };

struct Value {
  __u32 a;
  __u16 b[2];
  __u64 c;
};

#endif
