/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The firewall between two ports, without routing: rules decide which flows may start, and
 * packets of started flows pass. If no rule matches, flows from inside are allowed and flows
 * from outside are not. */
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
  uint16_t first_port; /* Destination ports; 0 for protocols without ports. */
  uint16_t last_port;
  uint8_t protocol; /* 0: any. */
  uint8_t side;     /* enum NfSide: where the flow starts. */
  uint8_t allows;
  uint8_t zero;
};

/* The state of a flow. TCP: after a SYN; after SYNs of both sides; after FINs of both sides or a
 * reset. Others: one side has sent; both have. */
enum FirewallPhase { firewall_new, firewall_established, firewall_closing, firewall_phases };

/* Protocol classes with timeouts of their own. */
enum FirewallTimer { firewall_tcp, firewall_udp, firewall_rest, firewall_timers };

/* Invariant until the control plane changes it. The first matching rule applies. */
struct FirewallConfig {
  struct FirewallRule rules[firewall_most_rules];
  uint64_t timers[firewall_timers][firewall_phases]; /* idle timeouts in ns */
  uint32_t count;
};

enum FirewallOutcome {
  firewall_begun,
  firewall_known,
  firewall_known_fragment, /* A later fragment, treated as the first one. */
  firewall_related,        /* An ICMP error about a known flow. */
  firewall_arp,
  firewall_denied,    /* By a rule, or by default. All from here on are dropped. */
  firewall_not_begun, /* TCP of an unknown flow without SYN; an answer without a query, or a query
                         with an identifier that the other side uses. */
  firewall_unrelated, /* An ICMP error about an unknown flow, or an invalid one. */
  firewall_table_full,
  firewall_fragment, /* A later fragment whose first one has not been seen, or was dropped. */
  firewall_icmp,     /* Neither a query nor an error. */
  firewall_other,    /* Neither IPv4 nor ARP. */
  firewall_broken,   /* Truncated, malformed, or a wrong checksum. */
  firewall_outcomes
};

/* Network order. Equal for both directions. */
struct FirewallKey {
  uint32_t inside;
  uint32_t outside;
  uint16_t inside_port;
  uint16_t outside_port;
  uint32_t protocol;
};

enum FirewallFlag {
  firewall_seen = 1, /* A side has sent (TCP: a SYN); shifted by side. */
  firewall_fin = 4,  /* A side has sent a FIN; shifted by side. */
  firewall_reset = 16
};

struct FirewallFlow {
  uint64_t seen;
  uint32_t flags;
  uint32_t opener; /* enum NfSide */
};

#endif
