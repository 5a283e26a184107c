/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The load balancer's packet processing, in native code and in the kernel. */
#ifndef SARTOR_STUDY_NF_BALANCER_PACKET_H
#define SARTOR_STUDY_NF_BALANCER_PACKET_H

#include "balancer_key.h"
#include "nat_write.h"
#include "tcp.h"

/* The index of the VIP with an endpoint; an index of no VIP if there is none. */
NF_INLINE uint32_t balancer_vip(const struct BalancerConfig *config, const struct NfEndpoint *to) {
  const uint64_t wanted = nf_endpoint_number(to);
  for (uint32_t i = 0; i < balancer_most_vips && i < config->vip_count; ++i)
    if (nf_endpoint_number(&config->vips[i]) == wanted)
      return i;
  return balancer_most_vips;
}

NF_INLINE int balancer_is_virtual(const struct BalancerConfig *config, uint32_t address) {
  for (uint32_t i = 0; i < balancer_most_vips && i < config->vip_count; ++i)
    if (config->vips[i].address == address)
      return 1;
  return 0;
}

/* The service of a back end; null if there is none, or if the configuration is invalid. */
NF_INLINE const struct BalancerVip *balancer_vip_of(const struct BalancerConfig *config,
                                                    const struct BalancerBackEnd *back_end) {
  if (!back_end)
    return 0;
  uint64_t at = back_end->vip;
  if (at >= balancer_most_vips)
    return 0;
  NF_KEEP(at);
  return &config->vips[at % balancer_most_vips];
}

NF_INLINE uint32_t balancer_find_sender(const struct BalancerConfig *config,
                                        const struct NfEndpoint *from) {
  const uint64_t wanted = nf_endpoint_number(from);
  for (uint32_t i = 0; i < balancer_most_back_ends && i < config->back_end_count; ++i)
    if (nf_endpoint_number(&config->back_ends[i]) == wanted)
      return i;
  return balancer_most_back_ends;
}

/* The index of the back end with an endpoint if its VIP translates; else an index of no back
 * end. */
NF_INLINE uint32_t balancer_sender(const struct BalancerConfig *config,
                                   const struct NfEndpoint *from) {
  return balancer_find_sender(config, from) + (uint32_t)nf_zero(from->address);
}

NF_INLINE struct BalancerKey balancer_key(const struct NfEndpoint *client,
                                          const struct NfEndpoint *vip) {
  return (struct BalancerKey){
      client->address, vip->address, client->port, vip->port, vip->protocol, 0, 0};
}

NF_INLINE struct BalancerKey balancer_fragment_key(const struct iphdr *ip) {
  return (struct BalancerKey){ip->saddr, ip->daddr, ip->id, 0, ip->protocol, 1, 0};
}

/* The key of a packet with ports. */
NF_INLINE struct BalancerKey balancer_key_of(const struct NfPacket *packet) {
  const struct iphdr *ip = packet->ip;
  return (struct BalancerKey){
      ip->saddr, ip->daddr, nf_source_port(packet), nf_destination_port(packet), ip->protocol,
      0,         0};
}

NF_INLINE int balancer_has_ports(const struct NfPacket *packet) {
  return packet->transport && packet->ip->protocol != IPPROTO_ICMP;
}

/* The back end with an index, which may be out of range; null if there is none. */
NF_INLINE const struct BalancerBackEnd *balancer_back_end(const struct BalancerConfig *config,
                                                          uint32_t number) {
  uint64_t at = number;
  if (at >= balancer_most_back_ends)
    return 0;
  NF_KEEP(at); /* The address must not be computed before the check. */
  return &config->back_ends[at % balancer_most_back_ends];
}

/* The key of the client's flow that a back end's packet answers; `vip` is the one that the back
 * end answers for. */
NF_INLINE struct BalancerKey balancer_key_of_reply(const struct NfEndpoint *client,
                                                   const struct BalancerVip *vip) {
  const struct NfEndpoint to = {vip->address, vip->port, vip->protocol, 0};
  return balancer_key(client, &to);
}

NF_INLINE void balancer_prepare_reply(const struct BalancerConfig *config,
                                      struct BalancerState *state, struct NfPacket *packet) {
  const struct iphdr *ip = packet->ip;
  const struct NfEndpoint from = {ip->saddr, nf_source_port(packet), ip->protocol, 0};
  const struct NfEndpoint to = {ip->daddr, nf_destination_port(packet), ip->protocol, 0};
  packet->about = (uint8_t)balancer_sender(config, &from);
  const struct BalancerBackEnd *sender = balancer_back_end(config, packet->about);
  const struct BalancerVip *vip = balancer_vip_of(config, sender);
  if (!vip)
    return;
  const struct BalancerKey key = balancer_key_of_reply(&to, vip);
  packet->hash = balancer_flows_hash(&state->flows, &key);
  balancer_flows_prefetch(&state->flows, packet->hash);
}

NF_INLINE void balancer_prepare(const struct BalancerConfig *config, struct BalancerState *state,
                                struct NfPacket *packet) {
  if (!balancer_has_ports(packet))
    return;
  if (packet->side == nf_internal) {
    balancer_prepare_reply(config, state, packet);
    return;
  }
  const struct BalancerKey key = balancer_key_of(packet);
  packet->hash = balancer_flows_hash(&state->flows, &key);
  balancer_flows_prefetch(&state->flows, packet->hash);
}

/* The back end of a flow, or null if it is gone. */
NF_INLINE const struct BalancerBackEnd *balancer_kept(const struct BalancerConfig *config,
                                                      const struct BalancerFlow *flow,
                                                      unsigned health) {
  const struct BalancerBackEnd *back_end = balancer_back_end(config, flow->back_end);
  if (!back_end || !flow->generation || back_end->generation != flow->generation ||
      back_end->health < health)
    return 0;
  return back_end;
}

/* The index of the back end that hashing chooses. */
NF_INLINE uint32_t balancer_choose(const struct BalancerConfig *config, struct BalancerState *state,
                                   uint32_t vip, const struct BalancerKey *key) {
  return balancer_lookup(config, state, vip, balancer_entry(config, key));
}

NF_INLINE void balancer_remember(struct BalancerFlow *flow, const struct BalancerConfig *config,
                                 uint32_t number, uint64_t now) {
  const struct BalancerBackEnd *back_end = balancer_back_end(config, number);
  flow->seen = now;
  flow->back_end = number;
  flow->generation = back_end ? back_end->generation : 0;
}

/* A new connection must not use a back end that accepts no new ones. */
NF_INLINE unsigned balancer_least_health(const struct NfPacket *packet) {
  if (packet->ip->protocol != IPPROTO_TCP)
    return balancer_draining;
  const unsigned flags = nf_tcp_flags(packet);
  return (flags & (nf_tcp_syn | nf_tcp_ack)) == nf_tcp_syn ? balancer_up : balancer_draining;
}

/* Handles a flow that is unknown (`flow` is null) or whose back end is gone. Sets `*number` to
 * the new back end's index. */
NF_SELDOM enum BalancerOutcome balancer_begin(const struct BalancerConfig *config,
                                              struct BalancerState *state,
                                              const struct NfPacket *packet, uint32_t vip,
                                              struct BalancerFlow *flow, uint64_t now,
                                              uint32_t *number) {
  const struct BalancerKey key = balancer_key_of(packet);
  *number = balancer_choose(config, state, vip, &key);
  if (*number == balancer_nobody)
    return balancer_no_back_end;
  const int is_known = flow && !balancer_is_over(config, &key, flow, now);
  if (!flow)
    flow = balancer_flows_insert(&state->flows, &key, packet->hash);
  if (!flow)
    return balancer_untracked;
  balancer_remember(flow, config, *number, now);
  return is_known ? balancer_moved : balancer_begun;
}

/* Finds the back end for a packet with ports; sets `*number` if the packet is forwarded. */
NF_INLINE enum BalancerOutcome balancer_find(const struct BalancerConfig *config,
                                             struct BalancerState *state,
                                             const struct NfPacket *packet, uint32_t vip,
                                             uint64_t now, unsigned at_once, uint32_t *number) {
  const struct BalancerKey key = balancer_key_of(packet);
  struct BalancerFlow *flow =
      NF_FIND(balancer_flows, "balancer.FLOW", &state->flows, &key, packet->hash, at_once);
  if (flow && !balancer_is_over(config, &key, flow, now) &&
      balancer_kept(config, flow, balancer_least_health(packet))) {
    flow->seen = now;
    *number = flow->back_end;
    return balancer_forwarded;
  }
  uint32_t begun = balancer_nobody; /* A copy, so that `*number` itself stays in a register. */
  const enum BalancerOutcome outcome =
      balancer_begin(config, state, packet, vip, flow, now, &begun);
  *number = begun;
  return outcome;
}

/* Records where the first fragment of a datagram went, for the later ones. The table may have no
 * room for it. */
NF_SELDOM void balancer_begin_fragments(const struct BalancerConfig *config,
                                        struct BalancerState *state, const struct iphdr *ip,
                                        uint32_t number, uint64_t now, unsigned at_once) {
  const struct BalancerKey key = balancer_fragment_key(ip);
  const uint32_t hash = balancer_flows_hash(&state->flows, &key);
  struct BalancerFlow *flow = balancer_flows_find(&state->flows, &key, hash, at_once);
  if (!flow)
    flow = balancer_flows_insert(&state->flows, &key, hash);
  if (flow)
    balancer_remember(flow, config, number, now);
}

/* Sends a packet to a back end. `flow` is given for an error or a packet with ports. */
NF_INLINE void balancer_send_to(const struct BalancerConfig *config, struct NfPacket *packet,
                                const struct NfFlow *flow, uint32_t number) {
  const struct BalancerBackEnd *back_end = balancer_back_end(config, number);
  if (!back_end)
    return;
  __builtin_memcpy(packet->data, back_end->mac, ETH_ALEN);
  const struct BalancerVip *vip = balancer_vip_of(config, back_end);
  if (!vip || !vip->translates)
    return;
  const struct NfEndpoint to = {back_end->address, back_end->port, packet->ip->protocol, 0};
  if (flow)
    nat_write_endpoint(packet, flow, 0, &to);
  else
    nat_write_address(packet->ip, 0, to.address);
}

NF_INLINE enum BalancerOutcome balancer_balance(const struct BalancerConfig *config,
                                                struct BalancerState *state,
                                                struct NfPacket *packet, const struct NfFlow *flow,
                                                uint64_t now, unsigned at_once) {
  const uint32_t vip = balancer_vip(config, &flow->destination);
  if (vip == balancer_most_vips)
    return balancer_is_virtual(config, flow->destination.address) ? balancer_no_service
                                                                  : balancer_passed;
  uint32_t number = balancer_nobody;
  const enum BalancerOutcome outcome =
      balancer_find(config, state, packet, vip, now, at_once, &number);
  if (outcome == balancer_no_back_end)
    return outcome;
  if (packet->ip->frag_off & nf_swap16(nf_more_fragments))
    balancer_begin_fragments(config, state, packet->ip, number, now, at_once);
  balancer_send_to(config, packet, flow, number);
  return outcome;
}

NF_SELDOM enum BalancerOutcome balancer_follow_fragment(const struct BalancerConfig *config,
                                                        struct BalancerState *state,
                                                        struct NfPacket *packet, uint64_t now,
                                                        unsigned at_once) {
  if (!balancer_is_virtual(config, packet->ip->daddr))
    return balancer_passed;
  const struct BalancerKey key = balancer_fragment_key(packet->ip);
  const uint32_t hash = balancer_flows_hash(&state->flows, &key);
  const struct BalancerFlow *flow = balancer_flows_find(&state->flows, &key, hash, at_once);
  if (!flow || balancer_is_over(config, &key, flow, now) ||
      !balancer_kept(config, flow, balancer_draining))
    return balancer_lost_fragment;
  balancer_send_to(config, packet, 0, flow->back_end);
  return balancer_fragment;
}

/* Sends an error to the sender of the packet that it is about. Makes no table entry. */
NF_SELDOM enum BalancerOutcome balancer_follow_error(const struct BalancerConfig *config,
                                                     struct BalancerState *state,
                                                     struct NfPacket *packet,
                                                     const struct NfFlow *flow, uint64_t now,
                                                     unsigned at_once) {
  if (!nf_is_right_error(packet, flow->inner, flow->inner_transport))
    return balancer_bad_error;
  const uint32_t vip = balancer_vip(config, &flow->destination);
  if (vip == balancer_most_vips)
    return balancer_bad_error;
  const struct BalancerKey key = balancer_key(&flow->source, &flow->destination);
  const uint32_t hash = balancer_flows_hash(&state->flows, &key);
  const struct BalancerFlow *known = balancer_flows_find(&state->flows, &key, hash, at_once);
  const int is_kept = known && !balancer_is_over(config, &key, known, now) &&
                      balancer_kept(config, known, balancer_draining);
  const uint32_t number = is_kept ? known->back_end : balancer_choose(config, state, vip, &key);
  if (number == balancer_nobody)
    return balancer_no_back_end;
  balancer_send_to(config, packet, flow, number);
  return balancer_error;
}

NF_INLINE enum BalancerOutcome balancer_inbound(const struct BalancerConfig *config,
                                                struct BalancerState *state,
                                                struct NfPacket *packet, uint64_t now,
                                                unsigned at_once) {
  if (packet->form == nf_later_fragment)
    return balancer_follow_fragment(config, state, packet, now, at_once);
  if (packet->form != nf_whole)
    return balancer_is_virtual(config, packet->ip->daddr) ? balancer_no_service : balancer_passed;
  struct NfFlow flow;
  const enum NfFlowKind kind = nf_flow_of(packet, &flow);
  if (kind == nf_with_ports)
    return balancer_balance(config, state, packet, &flow, now, at_once);
  if (!balancer_is_virtual(config, packet->ip->daddr))
    return balancer_passed;
  if (kind == nf_error) {
    const struct NfFlow about = flow; /* A copy, so that `flow` itself stays in registers. */
    return balancer_follow_error(config, state, packet, &about, now, at_once);
  }
  return kind == nf_bad_error ? balancer_bad_error : balancer_for_host;
}

NF_SELDOM enum BalancerOutcome balancer_reply_fragment(const struct BalancerConfig *config,
                                                       struct BalancerState *state,
                                                       struct NfPacket *packet, uint64_t now,
                                                       unsigned at_once) {
  const struct BalancerKey key = balancer_fragment_key(packet->ip);
  const uint32_t hash = balancer_flows_hash(&state->flows, &key);
  const struct BalancerFlow *flow = balancer_flows_find(&state->flows, &key, hash, at_once);
  const struct BalancerBackEnd *from = flow && !balancer_is_over(config, &key, flow, now)
                                           ? balancer_kept(config, flow, balancer_down)
                                           : 0;
  const struct BalancerVip *vip = balancer_vip_of(config, from);
  if (!vip)
    return balancer_passed;
  nat_write_address(packet->ip, 1, vip->address);
  return balancer_replied;
}

/* Processes a back end's packet; `flow` is its flow, or null. Answers are translated; other
 * packets are passed as they are. */
NF_INLINE enum BalancerOutcome balancer_reply(
    const struct BalancerConfig *config, struct BalancerState *state, struct NfPacket *packet,
    const struct NfFlow *flow, const struct BalancerBackEnd *from, const struct BalancerVip *vip,
    const struct BalancerKey *key, struct BalancerFlow *known, uint64_t now, unsigned at_once) {
  if (!known || balancer_is_over(config, key, known, now) ||
      balancer_kept(config, known, balancer_down) != from)
    return balancer_passed;
  known->seen = now;
  if (packet->ip->frag_off & nf_swap16(nf_more_fragments))
    balancer_begin_fragments(config, state, packet->ip, known->back_end, now, at_once);
  const struct NfEndpoint as = {vip->address, vip->port, vip->protocol, 0};
  nat_write_endpoint(packet, flow, 1, &as);
  return balancer_replied;
}

NF_SELDOM enum BalancerOutcome balancer_reply_error(const struct BalancerConfig *config,
                                                    struct BalancerState *state,
                                                    struct NfPacket *packet,
                                                    const struct NfFlow *flow, uint64_t now,
                                                    unsigned at_once) {
  const struct BalancerBackEnd *from =
      balancer_back_end(config, balancer_sender(config, &flow->source));
  const struct BalancerVip *vip = balancer_vip_of(config, from);
  if (!vip)
    return balancer_passed;
  if (!nf_is_right_error(packet, flow->inner, flow->inner_transport))
    return balancer_bad_error;
  const struct BalancerKey key = balancer_key_of_reply(&flow->destination, vip);
  const uint32_t hash = balancer_flows_hash(&state->flows, &key);
  struct BalancerFlow *known = balancer_flows_find(&state->flows, &key, hash, at_once);
  return balancer_reply(config, state, packet, flow, from, vip, &key, known, now, at_once);
}

NF_INLINE enum BalancerOutcome balancer_outbound(const struct BalancerConfig *config,
                                                 struct BalancerState *state,
                                                 struct NfPacket *packet, uint64_t now,
                                                 unsigned at_once) {
  if (packet->form == nf_later_fragment)
    return balancer_reply_fragment(config, state, packet, now, at_once);
  if (packet->form != nf_whole)
    return balancer_passed;
  struct NfFlow flow;
  const enum NfFlowKind kind = nf_flow_of(packet, &flow);
  if (kind == nf_error) {
    const struct NfFlow about = flow; /* A copy, so that `flow` itself stays in registers. */
    return balancer_reply_error(config, state, packet, &about, now, at_once);
  }
  if (kind != nf_with_ports)
    return balancer_passed;
  const struct BalancerBackEnd *from = balancer_back_end(config, packet->about);
  const struct BalancerVip *vip = balancer_vip_of(config, from);
  if (!vip)
    return balancer_passed;
  const struct BalancerKey key = balancer_key_of_reply(&flow.destination, vip);
  struct BalancerFlow *known =
      NF_FIND(balancer_flows, "balancer.REPLY", &state->flows, &key, packet->hash, at_once);
  return balancer_reply(config, state, packet, &flow, from, vip, &key, known, now, at_once);
}

NF_INLINE enum BalancerOutcome balancer_outcome_of(const struct BalancerConfig *config,
                                                   struct BalancerState *state,
                                                   struct NfPacket *packet, uint64_t now,
                                                   unsigned at_once) {
  if (nf_is_broken((enum NfForm)packet->form))
    return balancer_broken;
  if (!packet->ip)
    return balancer_passed;
  return packet->side == nf_external ? balancer_inbound(config, state, packet, now, at_once)
                                     : balancer_outbound(config, state, packet, now, at_once);
}

NF_INLINE enum NfVerdict balancer_packet(const struct BalancerConfig *config,
                                         struct BalancerState *state, struct NfPacket *packet,
                                         uint64_t now, unsigned at_once) {
  const enum BalancerOutcome outcome = balancer_outcome_of(config, state, packet, now, at_once);
  NF_COUNT(state, outcome);
  if (outcome == balancer_for_host)
    return nf_keep;
  return outcome <= balancer_passed ? nf_pass_on : nf_drop;
}

#endif
