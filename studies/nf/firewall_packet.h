/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The firewall's packet processing, in native code and in the kernel. */
#ifndef SARTOR_STUDY_NF_FIREWALL_PACKET_H
#define SARTOR_STUDY_NF_FIREWALL_PACKET_H

#include "firewall_flow.h"
#include "fragment.h"

NF_FRAGMENTS(firewall, struct FirewallState)

/* The flow of an IPv4 packet other than a later fragment; protocols without ports have port 0. */
NF_INLINE enum NfFlowKind firewall_flow_of(const struct NfPacket *packet, struct NfFlow *flow) {
  if (packet->form == nf_whole)
    return nf_flow_of(packet, flow);
  const struct iphdr *ip = packet->ip;
  flow->source = (struct NfEndpoint){ip->saddr, 0, ip->protocol, 0};
  flow->destination = (struct NfEndpoint){ip->daddr, 0, ip->protocol, 0};
  flow->inner = NF_NULL;
  flow->inner_transport = NF_NULL;
  return nf_with_ports;
}

NF_INLINE void firewall_prepare(const struct FirewallConfig *config, struct FirewallState *state,
                                struct NfPacket *packet) {
  (void)config;
  struct NfFlow flow;
  if (packet->form == nf_later_fragment)
    firewall_prepare_fragment(state, packet);
  if (packet->form > nf_other_protocol || packet->form == nf_later_fragment ||
      firewall_flow_of(packet, &flow) > nf_error)
    return;
  const struct FirewallKey key = firewall_key(&flow, packet->side);
  packet->hash = firewall_flows_hash(&state->flows, &key);
  firewall_flows_prefetch(&state->flows, packet->hash);
}

/* Returns whether a packet can be the first of a flow. */
NF_INLINE int firewall_is_first(enum NfFlowKind kind, uint8_t protocol, uint8_t tcp) {
  if (kind == nf_reply)
    return 0;
  return protocol != IPPROTO_TCP ||
         (tcp & (nf_tcp_syn | nf_tcp_ack | nf_tcp_reset | nf_tcp_fin)) == nf_tcp_syn;
}

NF_SELDOM enum FirewallOutcome firewall_begin(const struct FirewallConfig *config,
                                              struct FirewallState *state,
                                              struct FirewallFlow *over, struct FirewallKey key,
                                              const struct NfPacket *packet, uint64_t now) {
  if (!firewall_may_begin(config, &key, packet->side))
    return firewall_denied;
  struct FirewallFlow *flow =
      over ? over : firewall_flows_insert(&state->flows, &key, packet->hash);
  if (!flow)
    return firewall_table_full;
  flow->seen = now;
  flow->flags = firewall_flags_after(0, nf_tcp_syn, packet->side);
  flow->opener = packet->side;
  return firewall_begun;
}

NF_INLINE enum FirewallOutcome firewall_look(const struct FirewallConfig *config,
                                             struct FirewallState *state,
                                             const struct NfPacket *packet, uint64_t now,
                                             unsigned at_once) {
  struct NfFlow names;
  const enum NfFlowKind kind = firewall_flow_of(packet, &names);
  if (kind == nf_no_flow)
    return firewall_icmp;
  if (kind == nf_bad_error ||
      (kind == nf_error && !nf_is_right_error(packet, names.inner, names.inner_transport)))
    return firewall_unrelated;
  const struct FirewallKey key = firewall_key(&names, packet->side);
  struct FirewallFlow *flow =
      NF_FIND(firewall_flows, "firewall.FLOW", &state->flows, &key, packet->hash, at_once);
  const int is_known = flow && !firewall_is_over(config, key.protocol, flow, now);
  if (kind == nf_error)
    return is_known ? firewall_related : firewall_unrelated;
  /* An identifier belongs to the side that used it first. */
  if (is_known && kind != nf_with_ports && (kind == nf_request) != (flow->opener == packet->side))
    return firewall_not_begun;
  const int is_tcp = key.protocol == IPPROTO_TCP;
  const uint8_t tcp = is_tcp ? nf_tcp_flags(packet) : nf_tcp_syn;
  const int is_first = firewall_is_first(kind, (uint8_t)key.protocol, tcp);
  /* A closing connection may be started anew. */
  if (is_known && !(is_tcp && is_first && firewall_phase_of(flow->flags) == firewall_closing)) {
    flow->flags = firewall_flags_after(flow->flags, tcp, packet->side);
    flow->seen = now;
    return firewall_known;
  }
  if (!is_first)
    return firewall_not_begun;
  return firewall_begin(config, state, flow, key, packet, now);
}

NF_INLINE enum FirewallOutcome firewall_outcome_of(const struct FirewallConfig *config,
                                                   struct FirewallState *state,
                                                   const struct NfPacket *packet, uint64_t now,
                                                   unsigned at_once) {
  if (nf_is_broken((enum NfForm)packet->form))
    return firewall_broken;
  if (packet->form == nf_not_ipv4) {
    const struct ethhdr *ethernet = (const struct ethhdr *)packet->data;
    return ethernet->h_proto == nf_swap16(ETH_P_ARP) ? firewall_arp : firewall_other;
  }
  if (packet->form == nf_later_fragment)
    return firewall_first_fragment(state, packet, now, at_once) ? firewall_known_fragment
                                                                : firewall_fragment;
  return firewall_look(config, state, packet, now, at_once);
}

NF_INLINE enum NfVerdict firewall_packet(const struct FirewallConfig *config,
                                         struct FirewallState *state, struct NfPacket *packet,
                                         uint64_t now, unsigned at_once) {
  const enum FirewallOutcome outcome = firewall_outcome_of(config, state, packet, now, at_once);
  NF_COUNT(state, outcome);
  if (outcome >= firewall_denied)
    return nf_drop;
  if (nf_is_first_fragment(packet)) {
    firewall_note_fragment(state, nf_fragment_key(packet), packet, nf_pass_on, now, at_once);
  }
  return nf_pass_on;
}

#endif
