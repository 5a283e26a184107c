/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The bridge's state, in native code. */
#ifndef SARTOR_STUDY_NF_BRIDGE_STATE_H
#define SARTOR_STUDY_NF_BRIDGE_STATE_H

#include "bridge.h"
#include "io.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

NF_TABLE(bridge_stations, BridgeStations, struct BridgeKey, struct BridgeStation)

/* Belongs to the thread that polls. */
struct BridgeState {
  struct BridgeStations stations;
  uint64_t counts[bridge_outcomes];
};

extern struct BridgeConfig bridge_config;
extern struct BridgeState bridge_state;

uint32_t bridge_poll(struct NfIo *io, enum NfSide side);

#ifdef __cplusplus
}
#endif

#endif
