/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The peers of internal endpoints: hosts that may answer, and the states of TCP connections (RFC
 * 5382, RFC 7857). Sequence numbers are not checked. Only outgoing packets make entries, so that
 * outside hosts cannot fill the table. */
#ifndef SARTOR_STUDY_NF_NAT_PEER_H
#define SARTOR_STUDY_NF_NAT_PEER_H

#include "nat_mapping.h"
#include "tcp.h"

NF_INLINE int nat_is_established(uint64_t flags) {
  const uint64_t syns = nat_syn_out | nat_syn_in;
  const uint64_t fins = nat_fin_out | nat_fin_in;
  return (flags & syns) == syns && (flags & fins) != fins && !(flags & nat_reset);
}

NF_INLINE int nat_is_closing(uint64_t flags) {
  const uint64_t fins = nat_fin_out | nat_fin_in;
  return (flags & fins) == fins || flags & nat_reset;
}

/* A reset may be forged: later packets revive the connection (RFC 7857, section 2). A closing
 * connection may be started anew. */
NF_INLINE uint64_t nat_flags_after(uint64_t flags, uint8_t tcp, int is_leaving) {
  const int is_first = (tcp & (nf_tcp_syn | nf_tcp_ack)) == nf_tcp_syn;
  if (is_first && nat_is_closing(flags))
    flags = 0;
  flags &= ~(uint64_t)nat_reset;
  if (tcp & nf_tcp_reset)
    flags |= nat_reset;
  if (tcp & nf_tcp_fin)
    flags |= is_leaving ? nat_fin_out : nat_fin_in;
  if (tcp & nf_tcp_syn)
    flags |= is_leaving ? nat_syn_out : nat_syn_in;
  if (!is_leaving)
    return flags;
  if (tcp & nf_tcp_syn && !is_first) /* An answer to a SYN that has no entry. */
    flags |= nat_syn_in;
  return flags | nat_has_left;
}

NF_INLINE int nat_is_peer_over(const struct NatConfig *config, uint8_t protocol,
                               const struct NatPeer *peer, uint64_t now) {
  return now - peer->seen >=
         config->timers[nat_timer_of(protocol, nat_is_established(peer->flags))];
}

NF_INLINE struct NatPeerKey nat_peer_key(const struct NfEndpoint *inside,
                                         const struct NfEndpoint *remote, enum NatPeerKind kind) {
  const uint16_t port = kind == nat_connection ? remote->port : (uint16_t)0;
  return (struct NatPeerKey){*inside, remote->address, port, (uint16_t)kind};
}

/* Null if there is no valid one. */
NF_INLINE struct NatPeer *nat_peer_of(const struct NatConfig *config, struct NatState *state,
                                      const struct NatPeerKey *key,
                                      const struct NatMapping *mapping, uint64_t now,
                                      unsigned at_once) {
  struct NatPeer *peer =
      nat_peers_find(&state->peers, key, nat_peers_hash(&state->peers, key), at_once);
  return peer && peer->begun == mapping->begun &&
                 !nat_is_peer_over(config, key->inside.protocol, peer, now)
             ? peer
             : NF_NULL;
}

/* Creates a peer or resets an existing one; null if the table is full. */
NF_SELDOM struct NatPeer *nat_new_peer(struct NatState *state, struct NatPeerKey key,
                                       struct NatMapping *mapping, unsigned at_once) {
  const uint32_t hash = nat_peers_hash(&state->peers, &key);
  struct NatPeer *peer = nat_peers_find(&state->peers, &key, hash, at_once);
  if (!peer)
    peer = nat_peers_insert(&state->peers, &key, hash);
  else if (peer->begun == mapping->begun)
    mapping->established -= (uint64_t)nat_is_established(peer->flags);
  if (!peer)
    return NF_NULL;
  peer->begun = mapping->begun;
  peer->flags = 0;
  return peer;
}

NF_INLINE void nat_follow(struct NatMapping *mapping, struct NatPeer *peer, uint8_t tcp,
                          int is_leaving) {
  const uint64_t flags = nat_flags_after(peer->flags, tcp, is_leaving);
  mapping->established += (uint64_t)nat_is_established(flags);
  mapping->established -= (uint64_t)nat_is_established(peer->flags);
  peer->flags = flags;
}

NF_INLINE struct NatPeer *nat_note(const struct NatConfig *config, struct NatState *state,
                                   const struct NatPeerKey *key, struct NatMapping *mapping,
                                   uint64_t now, unsigned at_once) {
  struct NatPeer *peer = nat_peer_of(config, state, key, mapping, now, at_once);
  if (!peer)
    peer = nat_new_peer(state, *key, mapping, at_once);
  if (peer)
    peer->seen = now;
  return peer;
}

/* Records an outgoing packet; returns whether the tables have room. */
NF_INLINE int nat_note_leaving(const struct NatConfig *config, struct NatState *state,
                               const struct NfPacket *packet, const struct NfFlow *flow,
                               struct NatMapping *mapping, uint64_t now, unsigned at_once) {
  if (config->by_address) {
    const struct NatPeerKey key = nat_peer_key(&flow->source, &flow->destination, nat_contact);
    if (!nat_note(config, state, &key, mapping, now, at_once))
      return 0;
  }
  if (flow->source.protocol != IPPROTO_TCP)
    return 1;
  const struct NatPeerKey key = nat_peer_key(&flow->source, &flow->destination, nat_connection);
  struct NatPeer *peer = nat_note(config, state, &key, mapping, now, at_once);
  if (peer)
    nat_follow(mapping, peer, nf_tcp_flags(packet), 1);
  return peer != NF_NULL;
}

/* Returns whether a packet from outside may enter. */
NF_INLINE int nat_lets_in(const struct NatConfig *config, struct NatState *state,
                          const struct NfPacket *packet, const struct NfFlow *flow,
                          const struct NfEndpoint *inside, struct NatMapping *mapping, uint64_t now,
                          unsigned at_once) {
  if (inside->protocol == IPPROTO_TCP) {
    const struct NatPeerKey key = nat_peer_key(inside, &flow->source, nat_connection);
    struct NatPeer *peer = nat_peer_of(config, state, &key, mapping, now, at_once);
    if (peer) {
      nat_follow(mapping, peer, nf_tcp_flags(packet), 0);
      peer->seen = now;
      mapping->seen = now;
      return 1;
    }
  }
  if (!config->by_address)
    return 1;
  const struct NatPeerKey key = nat_peer_key(inside, &flow->source, nat_contact);
  return nat_peer_of(config, state, &key, mapping, now, at_once) != NF_NULL;
}

#endif
