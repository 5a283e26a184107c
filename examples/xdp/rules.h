/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the program and its handler in the kernel both know. */
#ifndef RULES_H
#define RULES_H

#include <linux/types.h>

/* Whose packets are let in: of the filter's map, the key and the value. */
struct peer {
  __u32 address; /* as in packets */
  __u16 port;    /* the same, of the receiver */
  __u16 unused;
};
struct rule {
  __u64 bytes_at_most; /* longer packets are dropped */
};

#endif
