/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Inputs and outputs of the handlers. */
#ifndef SARTOR_TEST_PACKET_H
#define SARTOR_TEST_PACKET_H

#include <linux/types.h>

struct Packet {
  __u8 ethernet[14]; /* Linux requires this header of a packet. */
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
