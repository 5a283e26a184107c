/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tables of forward.bpf.c. Addresses are in network byte order. */
#ifndef SARTOR_STUDY_XDP_FORWARD_H
#define SARTOR_STUDY_XDP_FORWARD_H

#include <linux/types.h>

enum ForwardLimit { max_routes = 1024, max_hops = 256 };

/* Sorted by decreasing mask length, so that the first match is the longest. */
struct Route {
  __u32 prefix;
  __u32 mask;
  __u32 hop; /* index in `hops`; 0: the machine itself */
};

struct RouteKey {
  __u32 bits;
  __u32 prefix;
};

struct Hop {
  __u32 interface; /* 0: there is none */
  __u32 mtu;       /* of IPv4, in bytes */
  __u8 to[6];
  __u8 from[6];
};

#endif
