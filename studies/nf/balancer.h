/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The load balancer (D. E. Eisenbud et al., Maglev, NSDI 2016): distributes packets that outside
 * clients send to a virtual address over the back ends inside. Maglev hashing chooses the back
 * end, and a table of flows keeps the choice stable while back ends come and go. */
#ifndef SARTOR_STUDY_NF_BALANCER_H
#define SARTOR_STUDY_NF_BALANCER_H

#include "packet.h"

enum {
  balancer_most_vips = 32,
  balancer_most_back_ends = 128,
  balancer_most_lookup = 65537,
  balancer_nobody = 0xffff /* An empty entry of a lookup table. */
};

enum BalancerHealth {
  balancer_down,     /* Its flows move to other back ends. */
  balancer_draining, /* It keeps its flows but gets no new ones. */
  balancer_up
};

/* All in network order. Starts like an endpoint, as a VIP does. */
struct BalancerBackEnd {
  uint32_t address;
  uint16_t port;
  uint8_t answers; /* Protocol of the VIP for which it answers; 0: none. */
  uint8_t zero;
  uint8_t mac[ETH_ALEN];
  uint8_t vip;    /* Index of its VIP. */
  uint8_t health; /* enum BalancerHealth */
  /* Distinguishes it from earlier back ends at the same index; 0: the index is free. */
  uint32_t generation;
};

/* In network order. */
struct BalancerVip {
  uint32_t address;
  uint16_t port;
  uint8_t protocol;
  uint8_t zero;
  /* True if back ends are reached by their own addresses and their answers are translated.
   * Otherwise they also have the virtual address and answer clients directly. */
  uint32_t translates;
};

/* Invariant until the control plane changes it. Each VIP has its own lookup table; the tables
 * are contiguous. */
struct BalancerConfig {
  struct BalancerVip vips[balancer_most_vips];
  struct BalancerBackEnd back_ends[balancer_most_back_ends];
  uint32_t vip_count;
  uint32_t back_end_count;  /* One more than the last index in use. */
  uint32_t lookup_size;     /* A prime. */
  uint32_t last_generation; /* The last generation that was assigned. */
  uint64_t tcp_timeout;     /* in ns, as the following ones */
  uint64_t udp_timeout;
  uint64_t fragment_timeout; /* How long later fragments follow the first one. */
};

enum BalancerOutcome {
  balancer_forwarded,  /* Sent to the back end that has the flow. */
  balancer_begun,      /* A new flow. */
  balancer_moved,      /* A flow whose back end is gone. */
  balancer_untracked,  /* A new flow without room in the table: sent to the back end that the hash
                          chooses. */
  balancer_fragment,   /* A later fragment. */
  balancer_error,      /* An ICMP error, sent to the back end concerned. */
  balancer_replied,    /* A back end's answer, translated. */
  balancer_passed,     /* Not handled by the balancer: passes. */
  balancer_for_host,   /* ICMP to a virtual address that is not an error. */
  balancer_no_service, /* Sent to a virtual address, but not to a service. */
  balancer_no_back_end,
  balancer_lost_fragment, /* A later fragment whose first one has not been seen. */
  balancer_bad_error,     /* An ICMP error about a packet that no back end has sent. */
  balancer_broken,        /* Truncated, malformed, or a wrong checksum. */
  balancer_outcomes
};

/* The key of a client's flow. Network order. */
struct BalancerKey {
  uint32_t client;
  uint32_t vip;
  uint16_t client_port; /* For later fragments: the identification. */
  uint16_t vip_port;    /* For later fragments: 0. */
  uint8_t protocol;
  uint8_t is_fragment;
  uint16_t zero;
};

struct BalancerFlow {
  uint64_t seen; /* ns */
  uint32_t generation;
  uint32_t back_end;
};

/* The lookup table of one VIP, in the kernel. */
struct BalancerLookup {
  uint16_t numbers[balancer_most_lookup];
};

#endif
