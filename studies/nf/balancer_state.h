/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The load balancer's state, in native code. */
#ifndef SARTOR_STUDY_NF_BALANCER_STATE_H
#define SARTOR_STUDY_NF_BALANCER_STATE_H

#include "balancer.h"
#include "io.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

NF_TABLE(balancer_flows, BalancerFlows, struct BalancerKey, struct BalancerFlow)

/* Belongs to the thread that polls. */
struct BalancerState {
  struct BalancerFlows flows;
  const uint16_t *lookup; /* The tables of all VIPs: indices of back ends, or balancer_nobody. */
  uint64_t counts[balancer_outcomes];
};

NF_INLINE uint32_t balancer_lookup(const struct BalancerConfig *config,
                                   const struct BalancerState *state, uint32_t vip,
                                   uint32_t entry) {
  return state->lookup[vip * config->lookup_size + entry];
}

extern struct BalancerConfig balancer_config;
extern struct BalancerState balancer_state;

uint32_t balancer_poll(struct NfIo *io, enum NfSide side);

#ifdef __cplusplus
}
#endif

#endif
