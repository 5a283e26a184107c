/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The load balancer (D. E. Eisenbud et al., Maglev, NSDI 2016): what clients outside send to a
 * virtual address goes to one of the back ends inside. Maglev hashing says which, and a table of
 * flows that it stays the same while others come and go. */
#ifndef SARTOR_STUDY_NF_BALANCER_H
#define SARTOR_STUDY_NF_BALANCER_H

#include "packet.h"

enum {
  balancer_most_vips = 32,
  balancer_most_back_ends = 128,
  balancer_most_lookup = 65537,
  balancer_nobody = 0xffff /* In a lookup table. */
};

enum BalancerHealth {
  balancer_down,     /* Its flows go to others. */
  balancer_draining, /* It keeps the flows that it has. */
  balancer_up
};

/* All in network order. Begins like an endpoint, as a VIP does. */
struct BalancerBackEnd {
  uint32_t address;
  uint16_t port;
  uint8_t answers; /* Protocol of what it answers in the name of its VIP; 0: nothing. */
  uint8_t zero;
  uint8_t mac[ETH_ALEN];
  uint8_t vip;    /* Its number. */
  uint8_t health; /* enum BalancerHealth */
  /* Tells it from others that have had the same place; 0: the place is free. */
  uint32_t generation;
};

/* In network order. */
struct BalancerVip {
  uint32_t address;
  uint16_t port;
  uint8_t protocol;
  uint8_t zero;
  /* Whether back ends are reached by their own address, from which answers are translated back.
   * Else they have the virtual one too, and answer clients directly. */
  uint32_t translates;
};

/* Invariant, until the control plane changes it. Each VIP has a lookup table of its own, behind
 * that of the one before. */
struct BalancerConfig {
  struct BalancerVip vips[balancer_most_vips];
  struct BalancerBackEnd back_ends[balancer_most_back_ends];
  uint32_t vip_count;
  uint32_t back_end_count;  /* Up to the last place that is taken. */
  uint32_t lookup_size;     /* A prime. */
  uint32_t last_generation; /* The last that a back end has been given. */
  uint64_t tcp_timeout;     /* ns, and below */
  uint64_t udp_timeout;
  uint64_t fragment_timeout; /* For which later fragments are taken to where the first went. */
};

enum BalancerOutcome {
  balancer_forwarded,  /* To the back end that has the flow. */
  balancer_begun,      /* A new flow. */
  balancer_moved,      /* A flow whose back end is gone. */
  balancer_untracked,  /* A new flow that there was no room for: goes where the hash says. */
  balancer_fragment,   /* A later fragment. */
  balancer_error,      /* An ICMP error, to the back end that it is for. */
  balancer_replied,    /* From a back end, translated. */
  balancer_passed,     /* None of its business: passes. */
  balancer_for_host,   /* ICMP to a virtual address that is no error. */
  balancer_no_service, /* To a virtual address, but no service there. */
  balancer_no_back_end,
  balancer_lost_fragment, /* A later one of which the first has not come. */
  balancer_bad_error,     /* An ICMP error about what a back end has not sent. */
  balancer_broken,        /* Truncated, malformed, or a wrong checksum. */
  balancer_outcomes
};

/* Of what clients send. Network order. */
struct BalancerKey {
  uint32_t client;
  uint32_t vip;
  uint16_t client_port; /* Of later fragments, the identification. */
  uint16_t vip_port;    /* Of later fragments, 0. */
  uint8_t protocol;
  uint8_t is_fragment;
  uint16_t zero;
};

struct BalancerFlow {
  uint64_t seen; /* ns */
  uint32_t generation;
  uint32_t back_end;
};

/* In the kernel, that of a VIP. */
struct BalancerLookup {
  uint16_t numbers[balancer_most_lookup];
};

#endif
