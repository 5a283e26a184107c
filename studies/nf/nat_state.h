/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* NAT's state, in native code. */
#ifndef SARTOR_STUDY_NF_NAT_STATE_H
#define SARTOR_STUDY_NF_NAT_STATE_H

#include "fragment.h"
#include "io.h"
#include "nat.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

NF_TABLE(nat_inside, NatInside, struct NfEndpoint, struct NatMapping)
/* Maps external endpoints to internal ones. Each has its mapping in the other table. */
NF_TABLE(nat_outside, NatOutside, struct NfEndpoint, struct NfEndpoint)
NF_TABLE(nat_peers, NatPeers, struct NatPeerKey, struct NatPeer)
NF_TABLE(nat_fragments, NatFragments, struct NfFragmentKey, struct NfFragment)

/* Belongs to the thread that polls. */
struct NatState {
  struct NatInside inside;
  struct NatOutside outside;
  struct NatPeers peers;
  struct NatFragments fragments;
  uint64_t counts[nat_outcomes];
};

extern struct NatConfig nat_config;
extern struct NatState nat_state;

uint32_t nat_poll(struct NfIo *io, enum NfSide side);

#ifdef __cplusplus
}
#endif

#endif
