/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tables of firewall.bpf.c. Addresses and ports of connections are in network byte order,
 * ports of rules in the machine's. */
#ifndef SARTOR_STUDY_XDP_FIREWALL_H
#define SARTOR_STUDY_XDP_FIREWALL_H

#include <linux/types.h>

enum FirewallLimit { max_rules = 256, max_connections = 65536 };

enum Side { side_inside, side_outside, side_count };

/* The first that fits decides. Where none does, what begins inside is allowed and what begins
 * outside is not. */
struct Rule {
  __u32 source, source_mask;
  __u32 destination, destination_mask;
  __u16 first_port, last_port; /* of the destination; without ports: 0 */
  __u8 protocol;               /* 0: any */
  __u8 side;                   /* whence it comes */
  __u16 answer;                /* its place, and perhaps rule_allows */
};

enum RuleAnswer { rule_allows = 0x8000 };

struct RuleCount {
  __u64 packets;
  __u64 bytes;
};

/* An ICMP echo's number is both ports. */
struct Connection {
  __u32 inside, outside;
  __u16 inside_port, outside_port;
  __u32 protocol;
};

enum ConnectionPhase {
  phase_opening, /* one side has spoken */
  phase_open,
  phase_closing, /* one side has said that it ends, or all is over */
  phase_none,    /* what is not TCP has none */
  phase_count
};

struct ConnectionState {
  __u64 seen;  /* when, in nanoseconds of the monotonic clock */
  __u8 phase;  /* enum ConnectionPhase */
  __u8 opener; /* enum Side */
  __u8 ended;  /* a bit for each side */
  __u8 unused[5];
};

/* How long nothing may come before a connection is forgotten, in nanoseconds. */
struct Patience {
  __u64 of_phase[phase_count];
};

#endif
