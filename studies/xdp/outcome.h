/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The fate of a packet. Each packet counts under one outcome, in the map `outcomes` of its
 * handler's object. */
#ifndef SARTOR_STUDY_XDP_OUTCOME_H
#define SARTOR_STUDY_XDP_OUTCOME_H

enum Outcome {
  outcome_truncated,    /* ends within a header */
  outcome_malformed,    /* contradictory lengths or versions */
  outcome_bad_checksum, /* of the IPv4 header */
  outcome_with_options, /* of IPv4 */
  outcome_arp,
  outcome_ipv6,
  outcome_other_protocol, /* an Ethernet or IPv4 protocol that the handler does not support */
  outcome_fragment,
  outcome_too_big,  /* for the outgoing link */
  outcome_changing, /* arrived while the tables were written */
  outcome_forwarded,
  outcome_local,   /* multicast, broadcast, loopback, or a route to the machine itself */
  outcome_expired, /* time to live */
  outcome_no_route,
  outcome_known,        /* of a connection */
  outcome_opened,       /* begins a connection that may be */
  outcome_related,      /* an ICMP error about a connection */
  outcome_denied,       /* by a rule, or by default */
  outcome_bad_flags,    /* invalid combination of TCP flags */
  outcome_out_of_state, /* TCP flags that do not fit the state of the connection */
  outcome_balanced,     /* to a back end */
  outcome_no_service,
  outcome_no_back_end,
  outcome_tagged, /* VLAN, which the balancer passes to the kernel */
  outcome_count
};

#endif
