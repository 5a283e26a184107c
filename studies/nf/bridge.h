/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The bridge: joins two segments as IEEE 802.1D has it, as far as two ports need it. It learns
 * where stations are, forgets them when they are silent, and does not send a frame to where it came
 * from. It knows nothing of what frames carry. */
#ifndef SARTOR_STUDY_NF_BRIDGE_H
#define SARTOR_STUDY_NF_BRIDGE_H

#include "packet.h"

enum { bridge_most_stations = 64, bridge_most_filters = 64 };

/* MAC addresses are six bytes as they lie in a frame, read as a number. */

/* A station that stays where it is said to be, and is not learnt. */
struct BridgeStatic {
  uint64_t address;
  uint32_t side; /* enum NfSide */
  uint32_t zero;
};

/* Fits frames whose parts under the masks are those here. */
struct BridgeFilter {
  uint64_t source, source_mask;
  uint64_t destination, destination_mask;
  uint16_t type, type_mask; /* Network order. */
  uint16_t sides;           /* 1 << side, of those by which it comes. */
  uint16_t discards;
};

/* Invariant, until the control plane changes it. Of filters the first that fits counts; what none
 * fits is forwarded. */
struct BridgeConfig {
  struct BridgeStatic stations[bridge_most_stations];
  struct BridgeFilter filters[bridge_most_filters];
  uint32_t station_count;
  uint32_t filter_count;
  uint32_t most_bytes; /* Of a frame. */
  uint32_t zero;
  uint64_t ageing; /* ns */
};

enum BridgeOutcome {
  bridge_forwarded,  /* To a station that is on the other side. */
  bridge_flooded,    /* Nobody knows where the station is. */
  bridge_group,      /* To many. */
  bridge_filtered,   /* To a station that is where it came from. */
  bridge_reserved,   /* To the bridge itself: it stays here. */
  bridge_discarded,  /* By a filter; its source is not learnt. */
  bridge_bad_source, /* From a group, or from nobody. */
  bridge_oversized,
  bridge_broken, /* Shorter than a header. */
  /* The above are what became of frames; beside them: */
  bridge_learnt,
  bridge_moved,      /* A station that was on the other side. */
  bridge_table_full, /* A station that there was no room for. */
  bridge_outcomes
};

struct BridgeKey {
  uint64_t address;
};

struct BridgeStation {
  uint64_t seen; /* ns */
  uint32_t side; /* enum NfSide */
  uint32_t zero;
};

#endif
