/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bridge.h"
#include "table.bpf.h"
#include "xdp.bpf.h"

NF_TABLE(bridge_stations, BridgeStations, struct BridgeKey, struct BridgeStation)

struct BridgeState {
  struct BridgeStations stations;
  uint32_t half;
};

NF_XDP_MAPS(bridge, Bridge)

#include "bridge_packet.h"

NF_XDP(bridge_parse, bridge, Bridge)
