/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes an endpoint into a packet for NAT; correct checksums stay correct, and wrong ones stay
 * wrong. */
#ifndef SARTOR_STUDY_NF_NAT_WRITE_H
#define SARTOR_STUDY_NF_NAT_WRITE_H

#include "flow.h"
#include "nat.h"

/* Sums of the old and of the new words. */
struct NatChange {
  uint64_t before;
  uint64_t after;
};

NF_INLINE void nat_add(struct NatChange *sum, const struct NatChange *change) {
  sum->before += change->before;
  sum->after += change->after;
}

/* Updates a checksum for `change`, and adds the checksum's own change to it. */
NF_INLINE void nat_update(uint8_t *check, int is_udp, struct NatChange *change) {
  const uint16_t was = nf_load16(check);
  if (is_udp && was == 0) /* UDP without a checksum (RFC 768). */
    return;
  uint16_t is = nf_updated_checksum(was, change->before, change->after);
  if (is_udp && is == 0)
    is = 0xffff;
  nf_store16(check, is);
  change->before += was;
  change->after += is;
}

/* Writes an address into a header; returns the change without the header's checksum. */
NF_INLINE struct NatChange nat_write_address(struct iphdr *ip, int is_source, uint32_t address) {
  const uint32_t was = is_source ? ip->saddr : ip->daddr;
  if (is_source)
    ip->saddr = address;
  else
    ip->daddr = address;
  const struct NatChange change = {nf_words_of(was), nf_words_of(address)};
  ip->check = nf_updated_checksum(ip->check, change.before, change.after);
  return change;
}

/* Writes a port or an identifier, and updates the checksum if it is among the transport's
 * `bytes`. `address` is the change of the pseudo header. Returns the whole change of the
 * transport. */
NF_INLINE struct NatChange nat_write_port(uint8_t *transport, unsigned bytes, const uint8_t *end,
                                          uint8_t protocol, int is_source, uint16_t port,
                                          const struct NatChange *address) {
  const int is_icmp = protocol == IPPROTO_ICMP;
  uint8_t *at = transport + (is_icmp ? nf_icmp_identifier_at : is_source ? 0 : 2);
  struct NatChange change = {nf_load16(at), port};
  nf_store16(at, port);
  const unsigned check = is_icmp ? 2 : protocol == IPPROTO_TCP ? 16 : 6;
  if (bytes < check + 2 || transport + check + 2 > end)
    return change;
  if (!is_icmp)
    nat_add(&change, address);
  nat_update(transport + check, protocol == IPPROTO_UDP, &change);
  if (!is_icmp) {
    change.before -= address->before;
    change.after -= address->after;
  }
  return change;
}

/* Translates the packet quoted in an error, which went in the opposite direction: its source is
 * the error's destination. */
NF_SELDOM void nat_write_into_error(struct NfPacket *packet, struct iphdr *inner,
                                    uint8_t *inner_transport, unsigned inner_bytes, int is_source,
                                    const struct NfEndpoint *to) {
  const uint16_t check = inner->check;
  const struct NatChange address = nat_write_address(inner, !is_source, to->address);
  struct NatChange change = nat_write_port(inner_transport, inner_bytes, packet->end,
                                           inner->protocol, !is_source, to->port, &address);
  nat_add(&change, &address);
  change.before += check;
  change.after += inner->check;
  nat_update(packet->transport + 2, 0, &change);
}

NF_INLINE void nat_write_endpoint(struct NfPacket *packet, const struct NfFlow *flow, int is_source,
                                  const struct NfEndpoint *to) {
  const struct NatChange address = nat_write_address(packet->ip, is_source, to->address);
  if (flow->inner)
    nat_write_into_error(packet, flow->inner, flow->inner_transport, flow->inner_bytes, is_source,
                         to);
  else
    nat_write_port(packet->transport, nf_tcp_header, packet->end, packet->ip->protocol, is_source,
                   to->port, &address);
}

NF_INLINE void nat_decrement_ttl(struct iphdr *ip) {
  /* TTL and protocol form one word of the checksum, with the TTL as first byte, which is not
   * zero. */
  uint8_t *word = &ip->ttl;
  const uint16_t was = nf_load16(word);
  const uint16_t is = (uint16_t)(was - 1);
  nf_store16(word, is);
  ip->check = nf_updated_checksum(ip->check, was, is);
}

NF_INLINE void nat_write_frame(const struct NatConfig *config, struct NfPacket *packet,
                               unsigned side) {
  __builtin_memcpy(packet->data, config->macs[side], sizeof config->macs[side]);
}

#endif
