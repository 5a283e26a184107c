/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The firewall between two ports, which it does not route between: rules say which flows may begin,
 * and whatever belongs to one that has begun passes. Without a rule for it, what begins inside may
 * and what begins outside may not. */
#ifndef SARTOR_STUDY_NF_FIREWALL_H
#define SARTOR_STUDY_NF_FIREWALL_H

#include "packet.h"

enum { firewall_most_rules = 256 };

/* Addresses and masks in network order, ports in host order. */
struct FirewallRule {
  uint32_t source;
  uint32_t source_mask;
  uint32_t destination;
  uint32_t destination_mask;
  uint16_t first_port; /* Of the destination; protocols without ports have 0. */
  uint16_t last_port;
  uint8_t protocol; /* 0: any. */
  uint8_t side;     /* enum NfSide: where it comes from. */
  uint8_t allows;
  uint8_t zero;
};

/* How far a flow is. TCP: a SYN, SYNs of both sides, FINs of both sides or a reset. Others: one
 * side has sent, both have. */
enum FirewallPhase { firewall_new, firewall_established, firewall_closing, firewall_phases };

/* Who keeps a flow how long. */
enum FirewallTimer { firewall_tcp, firewall_udp, firewall_rest, firewall_timers };

/* Invariant, until the control plane changes it. The first rule that fits counts. */
struct FirewallConfig {
  struct FirewallRule rules[firewall_most_rules];
  uint64_t timers[firewall_timers][firewall_phases]; /* ns in which nothing comes */
  uint32_t count;
};

enum FirewallOutcome {
  firewall_begun,
  firewall_known,
  firewall_known_fragment, /* A later one, as the first. */
  firewall_related,        /* An ICMP error about a known flow. */
  firewall_arp,
  firewall_denied,    /* By a rule, or because none is for it. All from here on are dropped. */
  firewall_not_begun, /* TCP of an unknown flow, but no SYN; an answer to no query, or a query with
                         an identifier that the other side uses. */
  firewall_unrelated, /* An ICMP error about no known flow, or one that cannot be. */
  firewall_table_full,
  firewall_fragment, /* Of a datagram whose first one has not come, or was dropped. */
  firewall_icmp,     /* Neither query nor error. */
  firewall_other,    /* Neither IPv4 nor ARP. */
  firewall_broken,   /* Truncated, malformed, or a wrong checksum. */
  firewall_outcomes
};

/* Network order. The same for both directions. */
struct FirewallKey {
  uint32_t inside;
  uint32_t outside;
  uint16_t inside_port;
  uint16_t outside_port;
  uint32_t protocol;
};

enum FirewallFlag {
  firewall_seen = 1, /* Of a side; shifted by enum NfSide. TCP: its SYN. */
  firewall_fin = 4,  /* The same. */
  firewall_reset = 16
};

struct FirewallFlow {
  uint64_t seen;
  uint32_t flags;
  uint32_t opener; /* enum NfSide */
};

#endif
