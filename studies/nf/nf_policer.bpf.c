/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policer.h"
#include "table.bpf.h"
#include "xdp.bpf.h"

NF_TABLE(policer_buckets, PolicerBuckets, struct PolicerKey, struct PolicerBucket)

struct PolicerState {
  struct PolicerBuckets buckets;
  uint32_t half;
};

NF_XDP_MAPS(policer, Policer)

#include "policer_packet.h"

NF_XDP(nf_parse, policer, Policer)
