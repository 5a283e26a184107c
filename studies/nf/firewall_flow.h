/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The firewall's flows, and the rules for new ones. */
#ifndef SARTOR_STUDY_NF_FIREWALL_FLOW_H
#define SARTOR_STUDY_NF_FIREWALL_FLOW_H

#include "firewall.h"
#include "flow.h"
#include "tcp.h"

/* `side` is that of the source of `flow`. */
NF_INLINE struct FirewallKey firewall_key(const struct NfFlow *flow, unsigned side) {
  const struct NfEndpoint *inside = side == nf_internal ? &flow->source : &flow->destination;
  const struct NfEndpoint *outside = side == nf_internal ? &flow->destination : &flow->source;
  return (struct FirewallKey){inside->address, outside->address, inside->port, outside->port,
                              inside->protocol};
}

/* Matches a rule against the key as seen from `opener`, which started the flow. */
NF_INLINE int firewall_fits(const struct FirewallRule *rule, const struct FirewallKey *key,
                            unsigned opener) {
  const int is_internal = opener == nf_internal;
  const uint32_t source = is_internal ? key->inside : key->outside;
  const uint32_t destination = is_internal ? key->outside : key->inside;
  const uint16_t port = nf_swap16(is_internal ? key->outside_port : key->inside_port);
  const int has_port = key->protocol == IPPROTO_TCP || key->protocol == IPPROTO_UDP;
  return rule->side == opener && (source & rule->source_mask) == rule->source &&
         (destination & rule->destination_mask) == rule->destination &&
         (rule->protocol == 0 || rule->protocol == key->protocol) &&
         (!has_port || (port >= rule->first_port && port <= rule->last_port));
}

NF_INLINE int firewall_may_begin(const struct FirewallConfig *config, const struct FirewallKey *key,
                                 unsigned opener) {
  for (uint32_t i = 0; i < firewall_most_rules && i < config->count; ++i)
    if (firewall_fits(&config->rules[i], key, opener))
      return config->rules[i].allows;
  return opener == nf_internal;
}

NF_INLINE enum FirewallPhase firewall_phase_of(uint32_t flags) {
  const uint32_t both = 1U << nf_external | 1U << nf_internal;
  if (flags & firewall_reset || (flags & firewall_fin * both) == firewall_fin * both)
    return firewall_closing;
  return (flags & firewall_seen * both) == firewall_seen * both ? firewall_established
                                                                : firewall_new;
}

NF_INLINE int firewall_is_over(const struct FirewallConfig *config, uint32_t protocol,
                               const struct FirewallFlow *flow, uint64_t now) {
  const enum FirewallTimer timer = protocol == IPPROTO_TCP   ? firewall_tcp
                                   : protocol == IPPROTO_UDP ? firewall_udp
                                                             : firewall_rest;
  return now - flow->seen >= config->timers[timer][firewall_phase_of(flow->flags)];
}

/* Adds a packet's flags. A reset may be forged: later packets revive the flow. `tcp` is the
 * header's flags, or those of a SYN for protocols without flags. */
NF_INLINE uint32_t firewall_flags_after(uint32_t flags, uint8_t tcp, unsigned side) {
  flags &= ~(uint32_t)firewall_reset;
  if (tcp & nf_tcp_reset)
    flags |= firewall_reset;
  if (tcp & nf_tcp_fin)
    flags |= (uint32_t)firewall_fin << side;
  if (tcp & nf_tcp_syn)
    flags |= (uint32_t)firewall_seen << side;
  return flags;
}

#endif
