/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What goes into the handlers and what comes out. */
#ifndef SARTOR_TEST_PACKET_H
#define SARTOR_TEST_PACKET_H

#include <linux/types.h>

struct Packet {
  __u8 ethernet[14]; /* Linux wants that of a packet. */
  __u8 rounds;
  __u8 unused;
  __s16 step;
  __u16 padding;
  __u32 scale;
  __u32 key;
  __u32 mixed;
  __u32 looked;
  __u64 sum;
};

#endif
