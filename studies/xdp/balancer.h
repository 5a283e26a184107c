/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tables of balancer.bpf.c. Addresses and ports are in network byte order. */
#ifndef SARTOR_STUDY_XDP_BALANCER_H
#define SARTOR_STUDY_XDP_BALANCER_H

#include <linux/types.h>

/* A ring's size is a prime, so that it can be filled with any step. */
enum BalancerLimit { max_services = 16, ring_size = 8191, max_back_ends = 256, max_flows = 65536 };

struct ServiceKey {
  __u32 address;
  __u16 port;
  __u16 protocol;
};

enum ServiceFlag {
  service_forgets = 1 /* flows follow the ring alone; no table of flows */
};

struct Service {
  __u16 number; /* index of its ring in `rings` */
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
  __u64 seen; /* in nanoseconds of the monotonic clock; not for TCP */
  __u32 back_end;
  __u32 tables; /* the version of the tables that chose it */
};

struct ServiceCount {
  __u64 packets;
  __u64 bytes; /* of IPv4 packets, before encapsulation */
};

/* Parameters of the outer packets. */
struct Encapsulation {
  __u32 source; /* the balancer's address */
  __u32 mtu;    /* of IPv4, in bytes */
  __u8 gateway[6];
  __u16 unused;
  __u64 patience; /* Nanoseconds without packets after which a UDP flow expires. */
};

#endif
