/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The header after an IPv4 header without options. */
#ifndef SARTOR_STUDY_XDP_TRANSPORT_BPF_H
#define SARTOR_STUDY_XDP_TRANSPORT_BPF_H

#include <linux/in.h>
#include <linux/tcp.h>
#include <linux/udp.h>

#include "parse.bpf.h"
#include "transport.h"

/* <linux/icmp.h> includes the C library, which does not know the BPF target. */
struct Icmp {
  __u8 type, code;
  __sum16 checksum;
  __be16 number, sequence; /* of an echo */
};

struct Transport {
  __be16 source, destination; /* ports; an ICMP echo's identifier in both */
  __sum16 checksum;           /* TCP only */
  __u8 flags;                 /* TCP only */
  __u8 type;                  /* ICMP only */
};

static __always_inline int is_echo(__u8 type) {
  return type == icmp_echo || type == icmp_echo_reply;
}

static __always_inline enum Outcome parse_tcp(const void *next, const void *end,
                                              struct Transport *transport) {
  const struct tcphdr *tcp = next;
  if ((const void *)(tcp + 1) > end)
    return outcome_truncated;
  if (tcp->doff < 5)
    return outcome_malformed;
  transport->source = tcp->source;
  transport->destination = tcp->dest;
  transport->checksum = tcp->check;
  transport->flags = ((const __u8 *)next)[13];
  return outcome_count;
}

static __always_inline enum Outcome parse_udp(const void *next, const void *end,
                                              struct Transport *transport) {
  const struct udphdr *udp = next;
  if ((const void *)(udp + 1) > end)
    return outcome_truncated;
  if (bpf_ntohs(udp->len) < sizeof *udp)
    return outcome_malformed;
  transport->source = udp->source;
  transport->destination = udp->dest;
  return outcome_count;
}

static __always_inline enum Outcome parse_icmp(const void *next, const void *end,
                                               struct Transport *transport) {
  const struct Icmp *icmp = next;
  if ((const void *)(icmp + 1) > end)
    return outcome_truncated;
  transport->type = icmp->type;
  if (is_echo(icmp->type))
    transport->source = transport->destination = icmp->number;
  return outcome_count;
}

/* outcome_count: the header is present. Padding of the frame after the packet does not count. */
static __always_inline enum Outcome parse_transport(struct xdp_md *ctx, const struct Packet *packet,
                                                    struct Transport *transport) {
  static const __u8 least[] = {
      [IPPROTO_ICMP] = sizeof(struct Icmp),
      [IPPROTO_TCP] = sizeof(struct tcphdr),
      [IPPROTO_UDP] = sizeof(struct udphdr),
  };
  const struct iphdr *ip = packet->ip;
  const void *next = ip + 1, *end = DATA_END(ctx);
  const __u8 protocol = ip->protocol;
  __builtin_memset(transport, 0, sizeof *transport);
  if (protocol >= sizeof least || !least[protocol])
    return outcome_other_protocol;
  if (ip->frag_off & FRAGMENT)
    return outcome_fragment;
  if (packet->bytes < sizeof *ip + least[protocol])
    return outcome_truncated;
  if (protocol == IPPROTO_TCP)
    return parse_tcp(next, end, transport);
  return protocol == IPPROTO_UDP ? parse_udp(next, end, transport)
                                 : parse_icmp(next, end, transport);
}

#endif
