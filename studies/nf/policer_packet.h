/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The policer's packet processing, in native code and in the kernel. */
#ifndef SARTOR_STUDY_NF_POLICER_PACKET_H
#define SARTOR_STUDY_NF_POLICER_PACKET_H

#include "parse.h"
#include "policer.h"

enum { policer_token = 1000000000 }; /* tokens per byte */

/* Returns the class by its index, so that a switch over networks becomes a table.
 * policer_most_classes if there is none. */
NF_INLINE uint32_t policer_class_of(const struct PolicerConfig *config, uint32_t destination) {
  for (uint32_t i = 0; i < policer_most_classes && i < config->count; ++i)
    if ((destination & config->classes[i].mask) == config->classes[i].network)
      return i;
  return policer_most_classes;
}

NF_INLINE uint64_t policer_filled(const struct PolicerClass *class, uint64_t tokens,
                                  uint64_t elapsed) {
  if (elapsed >= class->filling)
    return class->most;
  tokens += elapsed * class->rate;
  return tokens < class->most ? tokens : class->most;
}

NF_INLINE int policer_is_policed(const struct NfPacket *packet) {
  return packet->side == nf_external && packet->ip;
}

NF_INLINE void policer_prepare(const struct PolicerConfig *config, struct PolicerState *state,
                               struct NfPacket *packet) {
  (void)config;
  if (!policer_is_policed(packet))
    return;
  const struct PolicerKey key = {packet->ip->daddr};
  packet->hash = policer_buckets_hash(&state->buckets, &key);
  policer_buckets_prefetch(&state->buckets, packet->hash);
}

NF_INLINE enum PolicerOutcome policer_police(const struct PolicerConfig *config,
                                             struct PolicerState *state,
                                             const struct NfPacket *packet, uint64_t now,
                                             unsigned at_once) {
  const struct PolicerKey key = {packet->ip->daddr};
  const uint32_t number = policer_class_of(config, key.destination);
  if (number == policer_most_classes)
    return policer_unpoliced;
  const struct PolicerClass *class = &config->classes[number];
  const uint64_t wanted = (uint64_t)nf_swap16(packet->ip->tot_len) * policer_token;
  struct PolicerBucket *bucket =
      NF_FIND(policer_buckets, "policer.FLOW", &state->buckets, &key, packet->hash, at_once);
  if (!bucket) {
    bucket = policer_buckets_insert(&state->buckets, &key, packet->hash);
    if (!bucket)
      return policer_table_full;
    bucket->tokens = class->most;
    bucket->filled = now;
  }
  const uint64_t tokens = policer_filled(class, bucket->tokens, now - bucket->filled);
  const int fits = wanted <= tokens;
  bucket->tokens = fits ? tokens - wanted : tokens;
  bucket->filled = now;
  return fits ? policer_passed : policer_exceeded;
}

NF_INLINE enum PolicerOutcome policer_outcome_of(const struct PolicerConfig *config,
                                                 struct PolicerState *state,
                                                 const struct NfPacket *packet, uint64_t now,
                                                 unsigned at_once) {
  if (nf_is_broken((enum NfForm)packet->form))
    return policer_broken;
  if (!packet->ip)
    return policer_other;
  if (!policer_is_policed(packet))
    return policer_outbound;
  return policer_police(config, state, packet, now, at_once);
}

NF_INLINE enum NfVerdict policer_packet(const struct PolicerConfig *config,
                                        struct PolicerState *state, struct NfPacket *packet,
                                        uint64_t now, unsigned at_once) {
  const enum PolicerOutcome outcome = policer_outcome_of(config, state, packet, now, at_once);
  NF_COUNT(state, outcome);
  return outcome <= policer_unpoliced || outcome == policer_other ? nf_pass_on : nf_drop;
}

#endif
