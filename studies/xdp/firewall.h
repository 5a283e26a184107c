/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tables of firewall.bpf.c. Addresses and ports of connections are in network byte order,
 * ports of rules in host byte order. */
#ifndef SARTOR_STUDY_XDP_FIREWALL_H
#define SARTOR_STUDY_XDP_FIREWALL_H

#include <linux/types.h>

enum FirewallLimit { max_rules = 256, max_connections = 65536 };

enum Side { side_inside, side_outside, side_count };

/* The first matching rule applies. Without one, connections from inside are allowed and those
 * from outside are not. */
struct Rule {
  __u32 source, source_mask;
  __u32 destination, destination_mask;
  __u16 first_port, last_port; /* of the destination; 0 for protocols without ports */
  __u8 protocol;               /* 0: any */
  __u8 side;                   /* side of the source */
  __u16 answer;                /* the rule's index, possibly with rule_allows */
};

enum RuleAnswer { rule_allows = 0x8000 };

struct RuleCount {
  __u64 packets;
  __u64 bytes;
};

/* An ICMP echo's identifier is stored as both ports. */
struct Connection {
  __u32 inside, outside;
  __u16 inside_port, outside_port;
  __u32 protocol;
};

enum ConnectionPhase {
  phase_opening, /* one side has sent */
  phase_open,
  phase_closing, /* one side has closed, or both have */
  phase_none,    /* for protocols other than TCP */
  phase_count
};

struct ConnectionState {
  __u64 seen;  /* in nanoseconds of the monotonic clock */
  __u8 phase;  /* enum ConnectionPhase */
  __u8 opener; /* enum Side */
  __u8 ended;  /* a bit for each side */
  __u8 unused[5];
};

/* Idle timeouts of connections, in nanoseconds. */
struct Patience {
  __u64 of_phase[phase_count];
};

#endif
