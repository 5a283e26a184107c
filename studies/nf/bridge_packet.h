/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The bridge's frame processing, in native code and in the kernel. */
#ifndef SARTOR_STUDY_NF_BRIDGE_PACKET_H
#define SARTOR_STUDY_NF_BRIDGE_PACKET_H

#include "bridge.h"
#include "parse.h"

NF_INLINE uint64_t bridge_load_address(const uint8_t *bytes) {
  uint32_t first;
  __builtin_memcpy(&first, bytes, sizeof first);
  return (uint64_t)nf_load16(bytes + sizeof first) << 32 | first;
}

NF_INLINE uint64_t bridge_destination(const struct NfPacket *packet) {
  return bridge_load_address(packet->data);
}
NF_INLINE uint64_t bridge_source(const struct NfPacket *packet) {
  return bridge_load_address(packet->data + ETH_ALEN);
}

/* The group bit is in the first byte on the wire. */
NF_INLINE int bridge_is_group(uint64_t address) { return address & 1; }

/* 01-80-C2-00-00-00 to -0F. */
NF_INLINE int bridge_is_reserved(uint64_t address) {
  return (address & 0xf0ffffffffff) == 0x00c28001;
}

NF_INLINE const struct BridgeStatic *bridge_static(const struct BridgeConfig *config,
                                                   uint64_t address) {
  for (uint32_t i = 0; i < bridge_most_stations && i < config->station_count; ++i)
    if (config->stations[i].address == address)
      return &config->stations[i];
  return 0;
}

NF_INLINE int bridge_discards(const struct BridgeConfig *config, const struct NfPacket *packet) {
  const uint64_t source = bridge_source(packet);
  const uint64_t destination = bridge_destination(packet);
  const uint16_t type = nf_load16(packet->data + 2UL * ETH_ALEN);
  for (uint32_t i = 0; i < bridge_most_filters && i < config->filter_count; ++i) {
    const struct BridgeFilter *filter = &config->filters[i];
    if ((source & filter->source_mask) == filter->source &&
        (destination & filter->destination_mask) == filter->destination &&
        (type & filter->type_mask) == filter->type && filter->sides >> packet->side & 1)
      return filter->discards;
  }
  return 0;
}

NF_INLINE int bridge_is_fresh(const struct BridgeConfig *config,
                              const struct BridgeStation *station, uint64_t now) {
  return now - station->seen <= config->ageing;
}

/* Parses only what bridge_packet() needs: the Ethernet header. */
NF_INLINE enum NfForm bridge_parse(struct NfPacket *packet) {
  packet->ip = 0;
  packet->transport = 0;
  return packet->data + ETH_HLEN > packet->end ? nf_truncated : nf_not_ipv4;
}

NF_INLINE void bridge_prepare(const struct BridgeConfig *config, struct BridgeState *state,
                              struct NfPacket *packet) {
  (void)config;
  if (packet->data + ETH_HLEN > packet->end)
    return;
  const struct BridgeKey source = {bridge_source(packet)};
  packet->hash = bridge_stations_hash(&state->stations, &source);
  bridge_stations_prefetch(&state->stations, packet->hash);
  const struct BridgeKey destination = {bridge_destination(packet)};
  bridge_stations_prefetch(&state->stations, bridge_stations_hash(&state->stations, &destination));
}

NF_INLINE void bridge_learn(const struct BridgeConfig *config, struct BridgeState *state,
                            const struct NfPacket *packet, uint64_t now, unsigned at_once) {
  const struct BridgeKey key = {bridge_source(packet)};
  if (bridge_static(config, key.address))
    return;
  struct BridgeStation *station =
      NF_FIND(bridge_stations, "bridge.SOURCE", &state->stations, &key, packet->hash, at_once);
  if (!station || !bridge_is_fresh(config, station, now)) {
    if (!station)
      station = bridge_stations_insert(&state->stations, &key, packet->hash);
    NF_COUNT(state, station ? bridge_learnt : bridge_table_full);
    if (!station)
      return;
  } else if (station->side != packet->side) {
    NF_COUNT(state, bridge_moved);
  }
  station->seen = now;
  station->side = packet->side;
}

NF_INLINE enum BridgeOutcome bridge_lead(const struct BridgeConfig *config,
                                         struct BridgeState *state, const struct NfPacket *packet,
                                         uint64_t now, unsigned at_once) {
  const struct BridgeKey key = {bridge_destination(packet)};
  if (bridge_is_reserved(key.address))
    return bridge_reserved;
  if (bridge_is_group(key.address))
    return bridge_group;
  const struct BridgeStatic *known = bridge_static(config, key.address);
  if (known)
    return known->side == packet->side ? bridge_filtered : bridge_forwarded;
  const uint32_t hash = bridge_stations_hash(&state->stations, &key);
  const struct BridgeStation *station =
      NF_FIND(bridge_stations, "bridge.DESTINATION", &state->stations, &key, hash, at_once);
  if (!station || !bridge_is_fresh(config, station, now))
    return bridge_flooded;
  return station->side == packet->side ? bridge_filtered : bridge_forwarded;
}

NF_INLINE enum BridgeOutcome bridge_outcome_of(const struct BridgeConfig *config,
                                               struct BridgeState *state,
                                               const struct NfPacket *packet, uint64_t now,
                                               unsigned at_once) {
  if (packet->data + ETH_HLEN > packet->end)
    return bridge_broken;
  if ((uint64_t)(packet->end - packet->data) > config->most_bytes)
    return bridge_oversized;
  const uint64_t source = bridge_source(packet);
  if (source == 0 || bridge_is_group(source))
    return bridge_bad_source;
  if (bridge_discards(config, packet))
    return bridge_discarded;
  bridge_learn(config, state, packet, now, at_once);
  return bridge_lead(config, state, packet, now, at_once);
}

NF_INLINE enum NfVerdict bridge_packet(const struct BridgeConfig *config, struct BridgeState *state,
                                       struct NfPacket *packet, uint64_t now, unsigned at_once) {
  const enum BridgeOutcome outcome = bridge_outcome_of(config, state, packet, now, at_once);
  NF_COUNT(state, outcome);
  if (outcome == bridge_reserved)
    return nf_keep;
  return outcome <= bridge_group ? nf_pass_on : nf_drop;
}

#endif
