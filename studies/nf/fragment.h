/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* State of fragmented datagrams (RFC 791): later fragments have no ports and follow the first.
 * Those that arrive before it are not stored. For native code and for BPF. */
#ifndef SARTOR_STUDY_NF_FRAGMENT_H
#define SARTOR_STUDY_NF_FRAGMENT_H

#include "parse.h"

/* Network order. */
struct NfFragmentKey {
  uint32_t source;
  uint32_t destination;
  uint16_t identification;
  uint8_t protocol;
  uint8_t side; /* enum NfSide */
};

/* The result of the first fragment. */
struct NfFragment {
  uint64_t seen;
  uint32_t source;
  uint32_t destination;
  uint32_t verdict; /* enum NfVerdict */
  uint32_t zero;
};

#define NF_FRAGMENT_TIMEOUT UINT64_C(30000000000) /* in ns, after the first fragment */

NF_INLINE int nf_is_first_fragment(const struct NfPacket *packet) {
  return packet->form == nf_whole && packet->ip->frag_off & nf_swap16(nf_more_fragments);
}

NF_INLINE struct NfFragmentKey nf_fragment_key(const struct NfPacket *packet) {
  const struct iphdr *ip = packet->ip;
  return (struct NfFragmentKey){ip->saddr, ip->daddr, ip->id, ip->protocol, packet->side};
}

NF_INLINE int nf_is_fragment_over(const struct NfFragment *fragment, uint64_t now) {
  return now - fragment->seen >= NF_FRAGMENT_TIMEOUT;
}

/* Records the first fragment after it was processed. */
NF_INLINE void nf_set_fragment(struct NfFragment *fragment, const struct NfPacket *packet,
                               enum NfVerdict verdict, uint64_t now) {
  fragment->seen = now;
  fragment->source = packet->ip->saddr;
  fragment->destination = packet->ip->daddr;
  fragment->verdict = verdict;
  fragment->zero = 0;
}

/* Defines NAME_note_fragment(), with which a function records in its table NAME_fragments the
 * result of a datagram's first fragment, and NAME_first_fragment(), which finds that result for
 * a later fragment: null if it is unknown. If the table is full, the result is not recorded. */
#define NF_FRAGMENTS(name, State)                                                                  \
  NF_SELDOM void name##_note_fragment(State *state, struct NfFragmentKey key,                      \
                                      const struct NfPacket *packet, enum NfVerdict verdict,       \
                                      uint64_t now, unsigned at_once) {                            \
    const uint32_t hash = name##_fragments_hash(&state->fragments, &key);                          \
    struct NfFragment *fragment = name##_fragments_find(&state->fragments, &key, hash, at_once);   \
    if (!fragment)                                                                                 \
      fragment = name##_fragments_insert(&state->fragments, &key, hash);                           \
    if (fragment)                                                                                  \
      nf_set_fragment(fragment, packet, verdict, now);                                             \
  }                                                                                                \
  NF_SELDOM const struct NfFragment *name##_first_fragment(                                        \
      State *state, const struct NfPacket *packet, uint64_t now, unsigned at_once) {               \
    const struct NfFragmentKey key = nf_fragment_key(packet);                                      \
    const struct NfFragment *fragment =                                                            \
        name##_fragments_find(&state->fragments, &key, packet->hash, at_once);                     \
    return fragment && !nf_is_fragment_over(fragment, now) ? fragment : NF_NULL;                   \
  }                                                                                                \
  NF_INLINE void name##_prepare_fragment(State *state, struct NfPacket *packet) {                  \
    const struct NfFragmentKey key = nf_fragment_key(packet);                                      \
    packet->hash = name##_fragments_hash(&state->fragments, &key);                                 \
    name##_fragments_prefetch(&state->fragments, packet->hash);                                    \
  }

#endif
