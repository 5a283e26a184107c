/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bridge_state.h"
#include "poll.h"

#define NF_COUNT(state, outcome) (++(state)->counts[outcome])

#include "bridge_packet.h"

struct BridgeConfig bridge_config;
struct BridgeState bridge_state;

NF_POLL_PARSED_BY(bridge_parse, bridge, Bridge)
