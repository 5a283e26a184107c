/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The policer: each internal host gets as many bytes a second as its class has, in a token bucket
 * of its own (single rate, two colours; as RFC 2697 without the excess bucket). What leaves the
 * internal network is not policed. */
#ifndef SARTOR_STUDY_NF_POLICER_H
#define SARTOR_STUDY_NF_POLICER_H

#include "packet.h"

enum { policer_most_classes = 256 };

/* Of the destinations in a network. Addresses in network order. */
struct PolicerClass {
  uint32_t network;
  uint32_t mask;
  uint64_t rate;    /* Bytes per second. */
  uint64_t most;    /* The bucket's size, in 10^-9 bytes; below 2^62. */
  uint64_t filling; /* ns in which an empty bucket becomes full; at most 2^62 / rate. */
};

/* Invariant, until the control plane changes it. The first class that fits counts; destinations
 * that none fits are not policed. */
struct PolicerConfig {
  struct PolicerClass classes[policer_most_classes];
  uint32_t count;
};

enum PolicerOutcome {
  policer_passed,
  policer_outbound,
  policer_unpoliced, /* No class is for it. */
  policer_exceeded,
  policer_table_full, /* No room for another bucket: dropped, for its rate is not known. */
  policer_other,      /* Not IPv4: passes. */
  policer_broken,     /* Truncated, malformed, or a wrong checksum. */
  policer_outcomes
};

struct PolicerKey {
  uint32_t destination;
};

/* What has been left in it at a time. */
struct PolicerBucket {
  uint64_t tokens; /* 10^-9 bytes: what a byte per second brings in a nanosecond. */
  uint64_t filled; /* ns */
};

#endif
