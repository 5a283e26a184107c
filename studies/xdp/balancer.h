/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tables of balancer.bpf.c. Addresses and ports are in network byte order. */
#ifndef SARTOR_STUDY_XDP_BALANCER_H
#define SARTOR_STUDY_XDP_BALANCER_H

#include <linux/types.h>

/* A ring's size is a prime, as those who fill it step through it by any number. */
enum BalancerLimit { max_services = 16, ring_size = 8191, max_back_ends = 256, max_flows = 65536 };

struct ServiceKey {
  __u32 address;
  __u16 port;
  __u16 protocol;
};

enum ServiceFlag {
  service_forgets = 1 /* flows follow the ring alone, whatever becomes of it */
};

struct Service {
  __u16 number; /* its ring is the number-th of `rings` */
  __u16 flags;
};

struct BackEnd {
  __u32 address; /* 0: there is none */
};

struct Flow {
  __u32 source, destination;
  __u16 source_port, destination_port;
  __u32 protocol;
};

struct FlowState {
  __u64 seen; /* when, in nanoseconds of the monotonic clock; not of TCP */
  __u32 back_end;
  __u32 tables; /* the version of those by which that was chosen */
};

struct ServiceCount {
  __u64 packets;
  __u64 bytes; /* of IPv4, before they are wrapped */
};

/* How packets go on. */
struct Encapsulation {
  __u32 source; /* the balancer's address */
  __u32 mtu;    /* of IPv4, in bytes */
  __u8 gateway[6];
  __u16 unused;
  __u64 patience; /* How long one of UDP without packets is remembered, in nanoseconds. */
};

#endif
