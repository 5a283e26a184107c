/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The policer: limits each internal host to the byte rate of its class, with a token bucket of
 * its own (single rate, two colours; as RFC 2697 without the excess bucket). Packets that leave
 * the internal network are not policed. */
#ifndef SARTOR_STUDY_NF_POLICER_H
#define SARTOR_STUDY_NF_POLICER_H

#include "packet.h"

enum { policer_most_classes = 256 };

/* Destinations in a network. Addresses in network order. */
struct PolicerClass {
  uint32_t network;
  uint32_t mask;
  uint64_t rate;    /* Bytes per second. */
  uint64_t most;    /* The bucket's size, in 10^-9 bytes; below 2^62. */
  uint64_t filling; /* Time in ns to fill an empty bucket; at most 2^62 / rate. */
};

/* Invariant until the control plane changes it. The first matching class applies; destinations
 * without a class are not policed. */
struct PolicerConfig {
  struct PolicerClass classes[policer_most_classes];
  uint32_t count;
};

enum PolicerOutcome {
  policer_passed,
  policer_outbound,
  policer_unpoliced, /* No class matches. */
  policer_exceeded,
  policer_table_full, /* No room for another bucket: dropped, since its rate cannot be limited. */
  policer_other,      /* Not IPv4: passes. */
  policer_broken,     /* Truncated, malformed, or a wrong checksum. */
  policer_outcomes
};

struct PolicerKey {
  uint32_t destination;
};

/* The tokens left at a given time. */
struct PolicerBucket {
  uint64_t tokens; /* In 10^-9 bytes: the amount that one byte per second adds in a nanosecond. */
  uint64_t filled; /* ns */
};

#endif
