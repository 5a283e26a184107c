/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The firewall's state, in native code. */
#ifndef SARTOR_STUDY_NF_FIREWALL_STATE_H
#define SARTOR_STUDY_NF_FIREWALL_STATE_H

#include "firewall.h"
#include "fragment.h"
#include "io.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

NF_TABLE(firewall_flows, FirewallFlows, struct FirewallKey, struct FirewallFlow)
NF_TABLE(firewall_fragments, FirewallFragments, struct NfFragmentKey, struct NfFragment)

/* Belongs to the thread that polls. */
struct FirewallState {
  struct FirewallFlows flows;
  struct FirewallFragments fragments;
  uint64_t counts[firewall_outcomes];
};

extern struct FirewallConfig firewall_config;
extern struct FirewallState firewall_state;

uint32_t firewall_poll(struct NfIo *io, enum NfSide side);

#ifdef __cplusplus
}
#endif

#endif
