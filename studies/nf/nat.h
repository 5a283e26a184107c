/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Network address and port translation (RFC 3022) according to RFC 4787, RFC 5382 and RFC 5508:
 * mappings do not depend on the remote host. */
#ifndef SARTOR_STUDY_NF_NAT_H
#define SARTOR_STUDY_NF_NAT_H

#include "flow.h"

enum {
  nat_most_addresses = 16,
  nat_most_forwards = 64,
  nat_most_tries = 32 /* attempts to find a port for a new mapping */
};

/* A static mapping of an endpoint outside to one inside. */
struct NatForward {
  struct NfEndpoint outside;
  struct NfEndpoint inside;
};

enum NatTimer { nat_udp, nat_tcp_established, nat_tcp_transitory, nat_icmp, nat_timers };

/* Invariant until the control plane changes it. */
struct NatConfig {
  struct NatForward forwards[nat_most_forwards];
  uint32_t addresses[nat_most_addresses]; /* External addresses, at least one. Network order. */
  uint64_t timers[nat_timers];            /* idle timeouts in ns */
  uint32_t forward_count;
  uint32_t address_count;
  uint32_t network; /* Internal network; network order. */
  uint32_t mask;
  uint16_t least_port; /* External ports; host order. */
  uint16_t most_port;
  uint8_t by_address; /* True for address-dependent filtering; else it is endpoint-independent. */
  uint8_t macs[nf_sides][2][6]; /* For frames that leave by a side: destination, source. */
};

enum NatOutcome {
  nat_outbound,
  nat_inbound,
  nat_hairpinned,
  nat_error_translated,    /* An ICMP error, in either direction. */
  nat_fragment_translated, /* A later fragment, translated as the first one. */
  nat_local,               /* From inside to inside, or to a group: left to the host. */
  nat_other,               /* Not IPv4: left to the host. */
  nat_no_mapping, /* No internal endpoint has this mapping. All from here on are dropped. */
  nat_filtered,   /* The sender is not a peer of the internal endpoint. */
  nat_no_port,    /* No port was found free. */
  nat_table_full,
  nat_foreign,      /* The address does not belong to the side of the source or destination. */
  nat_ttl_exceeded, /* Dropped without a message. */
  nat_fragment,     /* A later fragment whose first one has not been seen. */
  nat_protocol, /* Not TCP, UDP or ICMP; or an ICMP message that is neither a query nor an error. */
  nat_bad_error, /* An ICMP error with a wrong checksum, or about an invalid packet. */
  nat_broken,    /* Truncated, malformed, or a wrong checksum. */
  nat_outcomes
};

/* The state of an endpoint inside. */
struct NatMapping {
  struct NfEndpoint outside;
  uint64_t seen; /* Time of the last packet that left, or that arrived for a connection. */
  uint64_t begun;
  uint64_t established; /* Number of TCP connections. */
};

enum NatPeerKind { nat_contact, nat_connection };

/* A remote peer of an endpoint inside. */
struct NatPeerKey {
  struct NfEndpoint inside;
  uint32_t address;
  uint16_t port; /* For connections. */
  uint16_t kind; /* enum NatPeerKind */
};

enum NatTcpFlag {
  nat_syn_out = 1,
  nat_syn_in = 2,
  nat_fin_out = 4,
  nat_fin_in = 8,
  nat_reset = 16,
  nat_has_left = 32 /* A packet of it has come from inside. */
};

struct NatPeer {
  uint64_t seen;
  uint64_t begun; /* The start time of its mapping: a later mapping of the same endpoint does not
                     count it. */
  uint64_t flags; /* enum NatTcpFlag, for connections */
};

#endif
