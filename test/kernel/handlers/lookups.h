/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The keys of lookups in a packet, and the values found. */
#ifndef SARTOR_TEST_LOOKUPS_H
#define SARTOR_TEST_LOOKUPS_H

#include <linux/types.h>

struct Key {
  __u32 address;
  __u16 port;
  __u16 protocol;
  __u32 zone;
};

struct Found {
  __u64 word;
  __u8 byte;
  __u8 unused[7];
};

struct Prefix {
  __u32 length;
  __u32 address; /* in network byte order, as in packets */
};

struct Lookups {
  __u8 ethernet[14];
  __u8 padding[2];
  struct Key key;
  __u32 index;
  __u32 length;
  __u32 address;
  __u64 sum;
  __u64 by_index;
  __u64 by_key;
  __u64 by_prefix;
  __u64 by_address;
};

#endif
