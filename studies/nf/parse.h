/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The parser for Ethernet and IPv4 (RFC 791), shared by all functions. For native code and for
 * BPF: the frame's end is checked before each read. */
#ifndef SARTOR_STUDY_NF_PARSE_H
#define SARTOR_STUDY_NF_PARSE_H

#include "checksum.h"
#include "packet.h"

enum {
  nf_more_fragments = 0x2000,
  nf_fragment_offset = 0x1fff,
  nf_plain_header = 0x45, /* Version 4, no options. */
  nf_tcp_header = 20,
  nf_udp_header = 8,
  nf_icmp_header = 8,
  nf_most_words_of_options = 10
};

NF_INLINE uint16_t nf_swap16(uint16_t number) { return __builtin_bswap16(number); }
NF_INLINE uint32_t nf_swap32(uint32_t number) { return __builtin_bswap32(number); }

NF_INLINE uint16_t nf_load16(const uint8_t *bytes) {
  uint16_t number;
  __builtin_memcpy(&number, bytes, sizeof number);
  return number;
}
NF_INLINE void nf_store16(uint8_t *bytes, uint16_t number) {
  __builtin_memcpy(bytes, &number, sizeof number);
}

/* In native code there is a fast path; see poll.h. NF_KEEP() precedes comparisons of an index or
 * a pointer, so that the verifier sees the same value compared and used. */
#ifdef __bpf__
#define NF_KEEP(number) __asm__ volatile("" : "+r"(number))
#define NF_FIND(name, label, table, key, hash, at_once) name##_find(table, key, hash, at_once)
#else
#define NF_KEEP(number) ((void)0)
#endif

/* Zero, which the verifier considers an arbitrary number, as it does `unknown`. Adding it to a
 * value hides how the value was computed, so the verifier checks the following code only once. */
NF_INLINE uint64_t nf_zero(uint64_t unknown) {
#ifdef __bpf__
  uint64_t other = unknown;
  NF_KEEP(other);
  return unknown ^ other;
#else
  (void)unknown;
  return 0;
#endif
}

/* The same pointer, separated from what the verifier has learnt about the original in a loop. */
NF_INLINE const uint8_t *nf_apart(const uint8_t *bytes, uint64_t unknown) {
  return bytes + (nf_zero(unknown) & 1);
}

/* The minimum size of the transport header; 0 for a protocol that has no ports and is not ICMP. */
NF_INLINE unsigned nf_least_transport(uint8_t protocol) {
  switch (protocol) {
  case IPPROTO_TCP:
    return nf_tcp_header;
  case IPPROTO_UDP:
    return nf_udp_header;
  case IPPROTO_ICMP:
    return nf_icmp_header;
  default:
    return 0;
  }
}

/* The source port of TCP or UDP, in network order. */
NF_INLINE uint16_t nf_source_port(const struct NfPacket *packet) {
  return nf_load16(packet->transport);
}
NF_INLINE uint16_t nf_destination_port(const struct NfPacket *packet) {
  return nf_load16(packet->transport + 2);
}

NF_INLINE uint64_t nf_sum_of_options(const struct iphdr *ip, unsigned words, const uint8_t *end) {
  const uint32_t *options = (const uint32_t *)nf_apart((const uint8_t *)(ip + 1), words);
  uint64_t sum = 0;
  uint32_t count = words;
  NF_KEEP(count); /* Keeps what the loop learns about one separate from the other. */
  count &= 15;
  for (unsigned i = 0; i < nf_most_words_of_options && i < count; ++i) {
    const uint32_t *at = options + i;
    NF_KEEP(at);
    if ((const uint8_t *)(at + 1) > end)
      break;
    sum += *at;
  }
  return sum;
}

/* Parses the transport after the header was checked; `sum` is the header's sum. */
NF_INLINE enum NfForm nf_parse_behind(struct NfPacket *packet, struct iphdr *ip, unsigned header,
                                      unsigned bytes, uint64_t sum) {
  if (nf_fold_sum(sum) != 0xffff)
    return nf_bad_checksum;
  packet->ip = ip;
  if (ip->frag_off & nf_swap16(nf_fragment_offset))
    return nf_later_fragment;
  const unsigned least = nf_least_transport(ip->protocol);
  if (least == 0)
    return nf_other_protocol;
  uint8_t *transport = (uint8_t *)ip + header;
  if (bytes < header + least)
    return nf_truncated;
  if (transport + least > packet->end)
    return nf_truncated;
  packet->transport = transport;
  return nf_whole;
}

/* Handles headers with options, which are rare. */
NF_SELDOM enum NfForm nf_parse_options(struct NfPacket *packet, struct iphdr *ip, unsigned bytes) {
  const unsigned header = ip->ihl * 4U;
  if (ip->version != 4 || header < sizeof *ip || bytes < header)
    return nf_malformed;
  if ((uint8_t *)ip + bytes > packet->end)
    return nf_truncated;
  if ((uint8_t *)ip + header > packet->end)
    return nf_truncated;
  return nf_parse_behind(packet, ip, header, bytes,
                         nf_sum_of_header(ip) +
                             nf_sum_of_options(ip, header / 4 - sizeof *ip / 4, packet->end));
}

/* Sets `ip` and `transport`. */
NF_INLINE enum NfForm nf_parse(struct NfPacket *packet) {
  packet->ip = NF_NULL;
  packet->transport = NF_NULL;
  const struct ethhdr *ethernet = (const struct ethhdr *)packet->data;
  if ((const uint8_t *)(ethernet + 1) > packet->end)
    return nf_truncated;
  if (ethernet->h_proto != nf_swap16(ETH_P_IP))
    return nf_not_ipv4;
  struct iphdr *ip = (struct iphdr *)(packet->data + sizeof *ethernet);
  if ((uint8_t *)(ip + 1) > packet->end)
    return nf_truncated;
  const unsigned bytes = nf_swap16(ip->tot_len);
  if (__builtin_expect(*(const uint8_t *)ip != nf_plain_header, 0))
    return nf_parse_options(packet, ip, bytes);
  if (bytes < sizeof *ip)
    return nf_malformed;
  if ((uint8_t *)ip + bytes > packet->end)
    return nf_truncated;
  return nf_parse_behind(packet, ip, sizeof *ip, bytes, nf_sum_of_header(ip));
}

/* Returns whether a form is that of an invalid packet. */
NF_INLINE int nf_is_broken(enum NfForm form) { return form >= nf_truncated; }

#endif
