/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Network address and port translation (RFC 3022) as RFC 4787, RFC 5382 and RFC 5508 want it:
 * mappings do not depend on whom a host inside talks to. */
#ifndef SARTOR_STUDY_NF_NAT_H
#define SARTOR_STUDY_NF_NAT_H

#include "flow.h"

enum {
  nat_most_addresses = 16,
  nat_most_forwards = 64,
  nat_most_tries = 32 /* of ports, for a new mapping */
};

/* An endpoint outside that always stands for one inside. */
struct NatForward {
  struct NfEndpoint outside;
  struct NfEndpoint inside;
};

enum NatTimer { nat_udp, nat_tcp_established, nat_tcp_transitory, nat_icmp, nat_timers };

/* Invariant, until the control plane changes it. */
struct NatConfig {
  struct NatForward forwards[nat_most_forwards];
  uint32_t addresses[nat_most_addresses]; /* Outside; at least one. Network order. */
  uint64_t timers[nat_timers];            /* ns in which nothing comes */
  uint32_t forward_count;
  uint32_t address_count;
  uint32_t network; /* Inside; network order. */
  uint32_t mask;
  uint16_t least_port; /* Outside; host order. */
  uint16_t most_port;
  uint8_t by_address;           /* Filtering is address-dependent; else endpoint-independent. */
  uint8_t macs[nf_sides][2][6]; /* Of frames that leave by a side: to whom, from whom. */
};

enum NatOutcome {
  nat_outbound,
  nat_inbound,
  nat_hairpinned,
  nat_error_translated,    /* An ICMP error, in either direction. */
  nat_fragment_translated, /* A later one, as the first. */
  nat_local,               /* From inside to inside, or to a group: the host's. */
  nat_other,               /* Not IPv4: the host's. */
  nat_no_mapping,          /* For nobody inside. All from here on are dropped. */
  nat_filtered,            /* From whom nobody inside has talked to. */
  nat_no_port,             /* No port was found free. */
  nat_table_full,
  nat_foreign,      /* An address that does not belong to the side it comes from, or goes to. */
  nat_ttl_exceeded, /* Dropped without a message. */
  nat_fragment,     /* Of a datagram whose first one has not come. */
  nat_protocol,  /* None of TCP, UDP, ICMP; or an ICMP message that is neither query nor error. */
  nat_bad_error, /* An ICMP error with a wrong checksum, or of a packet that cannot be. */
  nat_broken,    /* Truncated, malformed, or a wrong checksum. */
  nat_outcomes
};

/* What is known of an endpoint inside. */
struct NatMapping {
  struct NfEndpoint outside;
  uint64_t seen; /* When something last left, or came that belongs to a connection. */
  uint64_t begun;
  uint64_t established; /* How many TCP connections. */
};

enum NatPeerKind { nat_contact, nat_connection };

/* Whom an endpoint inside has talked to. */
struct NatPeerKey {
  struct NfEndpoint inside;
  uint32_t address;
  uint16_t port; /* Of connections. */
  uint16_t kind; /* enum NatPeerKind */
};

enum NatTcpFlag {
  nat_syn_out = 1,
  nat_syn_in = 2,
  nat_fin_out = 4,
  nat_fin_in = 8,
  nat_reset = 16,
  nat_has_left = 32 /* Something of it has come from inside. */
};

struct NatPeer {
  uint64_t seen;
  uint64_t begun; /* When its mapping was: another one of the same endpoint does not count it. */
  uint64_t flags; /* enum NatTcpFlag, of connections */
};

#endif
