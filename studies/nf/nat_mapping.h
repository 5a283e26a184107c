/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The mappings between endpoints inside and outside, and their expiry. An expired mapping is
 * ignored whether it has been swept or not. */
#ifndef SARTOR_STUDY_NF_NAT_MAPPING_H
#define SARTOR_STUDY_NF_NAT_MAPPING_H

#include "flow.h"
#include "nat.h"

/* The external endpoint reserved for one inside, or null. */
NF_INLINE const struct NfEndpoint *nat_forward_from(const struct NatConfig *config,
                                                    const struct NfEndpoint *inside) {
  const uint64_t number = nf_endpoint_number(inside);
  for (uint32_t i = 0; i < nat_most_forwards && i < config->forward_count; ++i)
    if (nf_endpoint_number(&config->forwards[i].inside) == number)
      return &config->forwards[i].outside;
  return NF_NULL;
}

NF_INLINE const struct NfEndpoint *nat_forward_to(const struct NatConfig *config,
                                                  const struct NfEndpoint *outside) {
  const uint64_t number = nf_endpoint_number(outside);
  for (uint32_t i = 0; i < nat_most_forwards && i < config->forward_count; ++i)
    if (nf_endpoint_number(&config->forwards[i].outside) == number)
      return &config->forwards[i].inside;
  return NF_NULL;
}

NF_INLINE enum NatTimer nat_timer_of(uint8_t protocol, int is_established) {
  if (protocol == IPPROTO_UDP)
    return nat_udp;
  if (protocol == IPPROTO_ICMP)
    return nat_icmp;
  return is_established ? nat_tcp_established : nat_tcp_transitory;
}

NF_INLINE int nat_is_over(const struct NatConfig *config, uint8_t protocol,
                          const struct NatMapping *mapping, uint64_t now) {
  return now - mapping->seen >= config->timers[nat_timer_of(protocol, mapping->established != 0)];
}

NF_INLINE struct NatMapping *nat_mapping_of(struct NatState *state, const struct NfEndpoint *inside,
                                            unsigned at_once) {
  return nat_inside_find(&state->inside, inside, nat_inside_hash(&state->inside, inside), at_once);
}

/* Frees the external endpoint of a mapping. */
NF_INLINE void nat_release(struct NatState *state, const struct NfEndpoint *outside,
                           unsigned at_once) {
  struct NfEndpoint *found = nat_outside_find(&state->outside, outside,
                                              nat_outside_hash(&state->outside, outside), at_once);
  if (found)
    nat_outside_remove(&state->outside, outside, found);
}

NF_SELDOM void nat_end(struct NatState *state, struct NfEndpoint inside,
                       const struct NatMapping *mapping, unsigned at_once) {
  const struct NfEndpoint outside = mapping->outside;
  nat_release(state, &outside, at_once);
  nat_inside_remove(&state->inside, &inside, mapping);
}

NF_INLINE uint32_t nat_mixed(uint32_t number) {
  number = (number ^ number >> 16) * 0x7feb352d;
  number = (number ^ number >> 15) * 0x846ca68b;
  return number ^ number >> 16;
}

/* The next port to try, in host order: the internal one, then others of the same parity, which
 * cannot be guessed without the seed (RFC 4787, requirements 3 and 4; RFC 6056). ICMP
 * identifiers may have any parity. Disallowed ports are 0x10000 and above. */
NF_INLINE uint32_t nat_candidate(const struct NatConfig *config, const struct NfEndpoint *inside,
                                 uint32_t from, uint32_t attempt) {
  const uint32_t own = nf_swap16(inside->port);
  const int is_icmp = inside->protocol == IPPROTO_ICMP;
  const uint32_t least = is_icmp ? 0 : config->least_port;
  const uint32_t most = is_icmp ? 0xffff : config->most_port;
  uint32_t port = own;
  if (attempt != 0) {
    port = least + nat_mixed(from + attempt) % (most - least + 1);
    port ^= is_icmp ? 0 : (port ^ own) & 1;
  }
  return port >= least && port <= most ? port : 0x10000;
}

/* Returns whether an external endpoint is unused, or its mapping has expired. */
NF_INLINE int nat_is_free(const struct NatConfig *config, struct NatState *state,
                          const struct NfEndpoint *outside, uint32_t hash, uint64_t now,
                          unsigned at_once) {
  const struct NfEndpoint *taken = nat_outside_find(&state->outside, outside, hash, at_once);
  if (!taken)
    return 1;
  const struct NfEndpoint inside = *taken;
  struct NatMapping *mapping = nat_mapping_of(state, &inside, at_once);
  if (mapping && !nat_is_over(config, inside.protocol, mapping, now))
    return 0;
  if (mapping)
    nat_end(state, inside, mapping, at_once);
  return 1;
}

/* Inserts the mapping into both tables, or into none. */
NF_INLINE struct NatMapping *nat_enter_both(struct NatState *state, const struct NfEndpoint *inside,
                                            uint32_t inside_hash, const struct NfEndpoint *outside,
                                            uint32_t outside_hash, uint64_t now, unsigned at_once) {
  struct NfEndpoint *back = nat_outside_insert(&state->outside, outside, outside_hash);
  if (!back)
    return NF_NULL;
  *back = *inside;
  struct NatMapping *mapping = nat_inside_insert(&state->inside, inside, inside_hash);
  if (!mapping) {
    nat_release(state, outside, at_once);
    return NF_NULL;
  }
  mapping->outside = *outside;
  mapping->seen = now;
  mapping->begun = now;
  mapping->established = 0;
  return mapping;
}

struct NatBegun {
  struct NatMapping *mapping; /* If null, `outcome` gives the reason. */
  enum NatOutcome outcome;
};

/* Creates a mapping. A host has the same external address for all its flows (RFC 4787,
 * requirement 2). `hash` is that of `inside`. */
NF_SELDOM struct NatBegun nat_begin(const struct NatConfig *config, struct NatState *state,
                                    struct NfEndpoint inside, uint32_t hash, uint64_t now,
                                    unsigned at_once) {
  struct NfEndpoint outside = inside;
  outside.address = config->addresses[nat_mixed(inside.address) % config->address_count];
  const uint32_t from = nat_mixed(hash ^ (uint32_t)now);
  for (uint32_t i = 0; i < nat_most_tries; ++i) {
    const uint32_t port = nat_candidate(config, &inside, from, i);
    if (port > 0xffff)
      continue;
    outside.port = nf_swap16((uint16_t)port);
    const uint32_t outside_hash = nat_outside_hash(&state->outside, &outside);
    if (nat_forward_to(config, &outside) ||
        !nat_is_free(config, state, &outside, outside_hash, now, at_once))
      continue;
    return (struct NatBegun){
        nat_enter_both(state, &inside, hash, &outside, outside_hash, now, at_once), nat_table_full};
  }
  return (struct NatBegun){NF_NULL, nat_no_port};
}

#endif
