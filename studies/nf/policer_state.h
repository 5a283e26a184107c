/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The policer's state, in native code. */
#ifndef SARTOR_STUDY_NF_POLICER_STATE_H
#define SARTOR_STUDY_NF_POLICER_STATE_H

#include "io.h"
#include "policer.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

NF_TABLE(policer_buckets, PolicerBuckets, struct PolicerKey, struct PolicerBucket)

/* Belongs to the thread that polls. */
struct PolicerState {
  struct PolicerBuckets buckets;
  uint64_t counts[policer_outcomes];
};

extern struct PolicerConfig policer_config;
extern struct PolicerState policer_state;

uint32_t policer_poll(struct NfIo *io, enum NfSide side);

#ifdef __cplusplus
}
#endif

#endif
