/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Types that the program shares with its handler in the kernel. */
#ifndef RULES_H
#define RULES_H

#include <linux/types.h>

/* Packets of these peers are admitted. The map has a peer as key and a rule as value. */
struct peer {
  __u32 address; /* in network byte order */
  __u16 port;    /* of the receiver, in network byte order */
  __u16 unused;
};
struct rule {
  __u64 bytes_at_most; /* longer packets are dropped */
};

#endif
