/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the flow of a packet; for an ICMP error, that of the packet it is about (RFC 792, RFC
 * 5508). For native code and for BPF. */
#ifndef SARTOR_STUDY_NF_FLOW_H
#define SARTOR_STUDY_NF_FLOW_H

#include "parse.h"

/* Network order; for ICMP queries, the port is the identifier. */
struct NfEndpoint {
  uint32_t address;
  uint16_t port;
  uint8_t protocol;
  uint8_t zero;
};

/* An endpoint as one number, so that a search in a known list becomes a decision tree. Accepts
 * any struct that starts like an endpoint. */
NF_INLINE uint64_t nf_endpoint_number(const void *endpoint) {
  uint64_t number;
  __builtin_memcpy(&number, endpoint, sizeof number);
  return number;
}

enum NfFlowKind {
  nf_with_ports, /* TCP or UDP. */
  nf_request,    /* An ICMP query. */
  nf_reply,
  nf_error,
  nf_bad_error, /* Shorter than the packet it quotes, or about an invalid packet. */
  nf_no_flow    /* Other ICMP. */
};

struct NfFlow {
  struct NfEndpoint source; /* For an error: the destination of the quoted packet. */
  struct NfEndpoint destination;
  struct iphdr *inner; /* For an error: the quoted packet; else null. */
  uint8_t *inner_transport;
  unsigned inner_bytes; /* Of its transport header. Bytes after them are padding of the frame. */
};

enum {
  nf_icmp_echo_reply = 0,
  nf_icmp_unreachable = 3,
  nf_icmp_echo = 8,
  nf_icmp_time_exceeded = 11,
  nf_icmp_bad_parameter = 12,
  nf_icmp_timestamp = 13,
  nf_icmp_timestamp_reply = 14,
  nf_icmp_identifier_at = 4,
  nf_inner_bytes = 8,  /* Minimum bytes of the quoted packet. */
  nf_most_error = 1480 /* Maximum ICMP size: longer messages are not summed but treated as wrong. */
};

NF_INLINE enum NfFlowKind nf_icmp_kind(uint8_t type) {
  switch (type) {
  case nf_icmp_echo:
  case nf_icmp_timestamp:
    return nf_request;
  case nf_icmp_echo_reply:
  case nf_icmp_timestamp_reply:
    return nf_reply;
  case nf_icmp_unreachable:
  case nf_icmp_time_exceeded:
  case nf_icmp_bad_parameter:
    return nf_error;
  default:
    return nf_no_flow;
  }
}

/* For a packet whose ports or ICMP header are present. */
NF_INLINE void nf_set_endpoints(struct NfFlow *flow, const struct iphdr *ip,
                                const uint8_t *transport) {
  const int is_icmp = ip->protocol == IPPROTO_ICMP;
  const uint16_t identifier = nf_load16(transport + nf_icmp_identifier_at);
  flow->source =
      (struct NfEndpoint){ip->saddr, is_icmp ? identifier : nf_load16(transport), ip->protocol, 0};
  flow->destination = (struct NfEndpoint){
      ip->daddr, is_icmp ? identifier : nf_load16(transport + 2), ip->protocol, 0};
}

/* Size of the ICMP message in a complete packet. */
NF_INLINE unsigned nf_icmp_bytes(const struct NfPacket *packet) {
  return nf_swap16(packet->ip->tot_len) - packet->ip->ihl * 4U;
}

NF_SELDOM enum NfFlowKind nf_flow_of_error(const struct NfPacket *packet, struct NfFlow *flow) {
  struct iphdr *inner = (struct iphdr *)(packet->transport + nf_icmp_header);
  if ((uint8_t *)(inner + 1) > packet->end)
    return nf_bad_error;
  const unsigned header = inner->ihl * 4U;
  uint8_t *transport = (uint8_t *)inner + header;
  const unsigned bytes = nf_icmp_bytes(packet);
  if (bytes < nf_icmp_header + header + nf_inner_bytes)
    return nf_bad_error;
  if (inner->version != 4 || header < sizeof *inner || transport + nf_inner_bytes > packet->end ||
      (inner->frag_off & nf_swap16(nf_fragment_offset)) || !nf_least_transport(inner->protocol))
    return nf_bad_error;
  if (inner->protocol == IPPROTO_ICMP) {
    const enum NfFlowKind kind = nf_icmp_kind(transport[0]);
    if (kind != nf_request && kind != nf_reply)
      return nf_bad_error;
  }
  struct NfFlow about;
  nf_set_endpoints(&about, inner, transport);
  flow->source = about.destination;
  flow->destination = about.source;
  flow->inner = inner;
  flow->inner_transport = transport;
  flow->inner_bytes = bytes - nf_icmp_header - header;
  return nf_error;
}

/* Finds the flow of a complete packet. Sets all of `flow` if there is one. */
NF_INLINE enum NfFlowKind nf_flow_of(const struct NfPacket *packet, struct NfFlow *flow) {
  const int is_icmp = packet->ip->protocol == IPPROTO_ICMP;
  const enum NfFlowKind kind = is_icmp ? nf_icmp_kind(packet->transport[0]) : nf_with_ports;
  if (kind == nf_error) {
    struct NfFlow about = {}; /* A copy, so that `flow` itself stays in registers. */
    const enum NfFlowKind kind_of_error = nf_flow_of_error(packet, &about);
    *flow = about;
    return kind_of_error;
  }
  if (kind == nf_no_flow)
    return kind;
  flow->inner = NF_NULL;
  flow->inner_transport = NF_NULL;
  flow->inner_bytes = 0;
  nf_set_endpoints(flow, packet->ip, packet->transport);
  return kind;
}

NF_INLINE uint64_t nf_sum_of_error(const struct NfPacket *packet) {
  const uint8_t *bytes = nf_apart(packet->transport, packet->ip->tot_len);
  uint32_t size = nf_icmp_bytes(packet);
  NF_KEEP(size); /* As in nf_sum_of_options(). */
  size &= 0xffff;
  uint64_t sum = 0;
  for (unsigned i = 0; i < nf_most_error && i < size; i += 2) {
    const uint8_t *at = bytes + i;
    NF_KEEP(at);
    if (i + 1 == size) {
      if (at + 1 > packet->end)
        break;
      const uint8_t odd[2] = {at[0], 0};
      sum += nf_load16(odd);
      break;
    }
    if (at + 2 > packet->end)
      break;
    sum += nf_load16(at);
  }
  return sum;
}

/* Returns whether an error's checksum and that of the quoted header are correct and both belong
 * to one flow (RFC 5508, requirement 3). */
NF_SELDOM int nf_is_right_error(const struct NfPacket *packet, const struct iphdr *inner,
                                const uint8_t *inner_transport) {
  if (nf_icmp_bytes(packet) > nf_most_error || packet->ip->daddr != inner->saddr)
    return 0;
  uint64_t sum = nf_sum_of_header(inner);
  if (inner_transport != (const uint8_t *)(inner + 1))
    sum += nf_sum_of_options(inner, inner->ihl - (unsigned)sizeof *inner / 4, packet->end);
  return nf_fold_sum(sum) == 0xffff && nf_fold_sum(nf_sum_of_error(packet)) == 0xffff;
}

#endif
