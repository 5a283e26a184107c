/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The bridge: joins two segments according to IEEE 802.1D, as far as two ports need it. It
 * learns the stations' sides, forgets silent stations, and does not send a frame back to its
 * side. It ignores the frames' contents. */
#ifndef SARTOR_STUDY_NF_BRIDGE_H
#define SARTOR_STUDY_NF_BRIDGE_H

#include "packet.h"

enum { bridge_most_stations = 64, bridge_most_filters = 64 };

/* MAC addresses are the six bytes of a frame, read as a number. */

/* A station with a configured side, which is not learnt. */
struct BridgeStatic {
  uint64_t address;
  uint32_t side; /* enum NfSide */
  uint32_t zero;
};

/* Matches frames that equal these values under the masks. */
struct BridgeFilter {
  uint64_t source, source_mask;
  uint64_t destination, destination_mask;
  uint16_t type, type_mask; /* Network order. */
  uint16_t sides;           /* Bit set 1 << side of the ingress sides that match. */
  uint16_t discards;
};

/* Invariant until the control plane changes it. The first matching filter applies; frames that
 * match none are forwarded. */
struct BridgeConfig {
  struct BridgeStatic stations[bridge_most_stations];
  struct BridgeFilter filters[bridge_most_filters];
  uint32_t station_count;
  uint32_t filter_count;
  uint32_t most_bytes; /* Maximum frame size. */
  uint32_t zero;
  uint64_t ageing; /* ns */
};

enum BridgeOutcome {
  bridge_forwarded,  /* The destination is on the other side. */
  bridge_flooded,    /* The destination's side is unknown. */
  bridge_group,      /* A group address. */
  bridge_filtered,   /* The destination is on the side that the frame came from. */
  bridge_reserved,   /* Addressed to the bridge itself: not forwarded. */
  bridge_discarded,  /* Discarded by a filter; its source is not learnt. */
  bridge_bad_source, /* The source is a group address or zero. */
  bridge_oversized,
  bridge_broken, /* Shorter than a header. */
  /* The above are the outcomes of frames; the following count other events: */
  bridge_learnt,
  bridge_moved,      /* A station has moved to the other side. */
  bridge_table_full, /* A station was not learnt, since the table is full. */
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
