/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* NAT's packet processing, in native code and in the kernel. */
#ifndef SARTOR_STUDY_NF_NAT_PACKET_H
#define SARTOR_STUDY_NF_NAT_PACKET_H

#include "fragment.h"
#include "nat_mapping.h"
#include "nat_peer.h"
#include "nat_write.h"

NF_INLINE int nat_is_ours(const struct NatConfig *config, uint32_t address) {
  for (uint32_t i = 0; i < nat_most_addresses && i < config->address_count; ++i)
    if (config->addresses[i] == address)
      return 1;
  return 0;
}

NF_INLINE int nat_is_inside(const struct NatConfig *config, uint32_t address) {
  return (address & config->mask) == config->network;
}

/* Groups, the broadcast address, and unassigned addresses (RFC 1122, 3.2.1.3). */
NF_INLINE int nat_is_for_many(uint32_t address) {
  return nf_swap32(address) >= 0xe0000000 || address == 0;
}

NF_FRAGMENTS(nat, struct NatState)

NF_INLINE void nat_prepare(const struct NatConfig *config, struct NatState *state,
                           struct NfPacket *packet) {
  (void)config;
  struct NfFlow flow;
  if (packet->form == nf_later_fragment)
    nat_prepare_fragment(state, packet);
  if (packet->form != nf_whole || nf_flow_of(packet, &flow) > nf_error)
    return;
  if (packet->side == nf_internal) {
    packet->hash = nat_inside_hash(&state->inside, &flow.source);
    nat_inside_prefetch(&state->inside, packet->hash);
    if (flow.source.protocol == IPPROTO_TCP) {
      const struct NatPeerKey peer = nat_peer_key(&flow.source, &flow.destination, nat_connection);
      nat_peers_prefetch(&state->peers, nat_peers_hash(&state->peers, &peer));
    }
  } else {
    packet->hash = nat_outside_hash(&state->outside, &flow.destination);
    nat_outside_prefetch(&state->outside, packet->hash);
  }
}

/* Replaces the source by an external endpoint. Outcomes from nat_no_mapping on are failures. */
NF_INLINE enum NatOutcome nat_leave(const struct NatConfig *config, struct NatState *state,
                                    struct NfPacket *packet, struct NfFlow *flow,
                                    enum NfFlowKind kind, uint64_t now, unsigned at_once) {
  const struct NfEndpoint *outside = nat_forward_from(config, &flow->source);
  if (!outside) {
    struct NatMapping *mapping =
        NF_FIND(nat_inside, "nat.INSIDE", &state->inside, &flow->source, packet->hash, at_once);
    if (mapping && nat_is_over(config, flow->source.protocol, mapping, now)) {
      nat_end(state, flow->source, mapping, at_once);
      mapping = NF_NULL;
    }
    if (kind == nf_error || kind == nf_reply) {
      if (!mapping)
        return nat_no_mapping;
    } else {
      if (!mapping) {
        const struct NatBegun begun =
            nat_begin(config, state, flow->source, packet->hash, now, at_once);
        if (!begun.mapping)
          return begun.outcome;
        mapping = begun.mapping;
      }
      if (!nat_note_leaving(config, state, packet, flow, mapping, now, at_once))
        return nat_table_full;
      mapping->seen = now;
    }
    outside = &mapping->outside;
  }
  nat_write_endpoint(packet, flow, 1, outside);
  flow->source = *outside;
  return nat_outbound;
}

/* Replaces the destination by an internal endpoint. */
NF_INLINE enum NatOutcome nat_enter(const struct NatConfig *config, struct NatState *state,
                                    struct NfPacket *packet, const struct NfFlow *flow,
                                    enum NfFlowKind kind, uint64_t now, unsigned at_once) {
  const struct NfEndpoint *inside = nat_forward_to(config, &flow->destination);
  if (!inside) {
    if (kind == nf_request)
      return nat_no_mapping;
    const uint32_t hash = packet->side == nf_external
                              ? packet->hash
                              : nat_outside_hash(&state->outside, &flow->destination);
    inside =
        NF_FIND(nat_outside, "nat.OUTSIDE", &state->outside, &flow->destination, hash, at_once);
    if (!inside)
      return nat_no_mapping;
    struct NatMapping *mapping = nat_mapping_of(state, inside, at_once);
    if (!mapping)
      return nat_no_mapping;
    if (nat_is_over(config, inside->protocol, mapping, now)) {
      nat_end(state, *inside, mapping, at_once);
      return nat_no_mapping;
    }
    if (kind != nf_error &&
        !nat_lets_in(config, state, packet, flow, inside, mapping, now, at_once))
      return nat_filtered;
  }
  nat_write_endpoint(packet, flow, 0, inside);
  return nat_inbound;
}

NF_INLINE void nat_send(const struct NatConfig *config, struct NfPacket *packet,
                        enum NfVerdict verdict) {
  const int is_for_inside = packet->side == nf_external || verdict == nf_return;
  nat_decrement_ttl(packet->ip);
  nat_write_frame(config, packet, is_for_inside ? nf_internal : nf_external);
  packet->verdict = (uint8_t)verdict;
}

NF_INLINE enum NatOutcome nat_translate_fragment(const struct NatConfig *config,
                                                 struct NatState *state, struct NfPacket *packet,
                                                 uint64_t now, unsigned at_once) {
  const struct NfFragment *first = nat_first_fragment(state, packet, now, at_once);
  if (!first)
    return nat_fragment;
  nat_write_address(packet->ip, 1, first->source);
  nat_write_address(packet->ip, 0, first->destination);
  nat_send(config, packet, (enum NfVerdict)first->verdict);
  return nat_fragment_translated;
}

NF_INLINE enum NatOutcome nat_translate(const struct NatConfig *config, struct NatState *state,
                                        struct NfPacket *packet, uint64_t now, unsigned at_once) {
  struct NfFlow flow;
  const enum NfFlowKind kind = nf_flow_of(packet, &flow);
  if (kind == nf_no_flow)
    return nat_protocol;
  if (kind == nf_bad_error ||
      (kind == nf_error && !nf_is_right_error(packet, flow.inner, flow.inner_transport)))
    return nat_bad_error;
  const struct NfFragmentKey fragment = nf_fragment_key(packet);
  const int is_hairpin = packet->side == nf_internal && nat_is_ours(config, packet->ip->daddr);
  enum NatOutcome outcome = nat_outbound;
  if (packet->side == nf_internal)
    outcome = nat_leave(config, state, packet, &flow, kind, now, at_once);
  if (outcome == nat_outbound && (is_hairpin || packet->side == nf_external))
    outcome = nat_enter(config, state, packet, &flow, kind, now, at_once);
  if (outcome >= nat_no_mapping)
    return outcome;
  nat_send(config, packet, is_hairpin ? nf_return : nf_pass_on);
  if (nf_is_first_fragment(packet))
    nat_note_fragment(state, fragment, packet, (enum NfVerdict)packet->verdict, now, at_once);
  if (kind == nf_error)
    return nat_error_translated;
  return is_hairpin ? nat_hairpinned : outcome;
}

NF_INLINE enum NatOutcome nat_outcome_of(const struct NatConfig *config, struct NatState *state,
                                         struct NfPacket *packet, uint64_t now, unsigned at_once) {
  if (nf_is_broken((enum NfForm)packet->form))
    return nat_broken;
  if (!packet->ip)
    return nat_other;
  const struct iphdr *ip = packet->ip;
  const int is_internal = packet->side == nf_internal;
  if (is_internal && (nat_is_inside(config, ip->daddr) || nat_is_for_many(ip->daddr)))
    return nat_local;
  if (nat_is_inside(config, ip->saddr) != is_internal ||
      (!is_internal && !nat_is_ours(config, ip->daddr)))
    return nat_foreign;
  if (packet->form == nf_other_protocol)
    return nat_protocol;
  if (ip->ttl <= 1)
    return nat_ttl_exceeded;
  if (packet->form == nf_later_fragment)
    return nat_translate_fragment(config, state, packet, now, at_once);
  return nat_translate(config, state, packet, now, at_once);
}

NF_INLINE enum NfVerdict nat_packet(const struct NatConfig *config, struct NatState *state,
                                    struct NfPacket *packet, uint64_t now, unsigned at_once) {
  packet->verdict = nf_drop;
  const enum NatOutcome outcome = nat_outcome_of(config, state, packet, now, at_once);
  NF_COUNT(state, outcome);
  if (outcome == nat_local || outcome == nat_other)
    return nf_keep;
  return (enum NfVerdict)packet->verdict;
}

#endif
