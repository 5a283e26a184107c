/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The parser for Ethernet, VLAN tags and IPv4, shared by all handlers. */
#ifndef SARTOR_STUDY_XDP_PARSE_BPF_H
#define SARTOR_STUDY_XDP_PARSE_BPF_H

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/ip.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include <sartor/points.h>

#include "checksum.bpf.h"
#include "outcome.h"

#define DATA(ctx) ((void *)(long)(ctx)->data)
#define DATA_END(ctx) ((void *)(long)(ctx)->data_end)

#define MAX_TAGS 2
#define FRAGMENT bpf_htons(0x3fff) /* more fragments, or an offset */

struct Tag {
  __be16 control;
  __be16 protocol;
};

struct Packet {
  struct iphdr *ip;
  __u16 bytes; /* from ip on, according to ip */
  __u8 tags;
};

static __always_inline int is_tag(__be16 protocol) {
  return protocol == bpf_htons(ETH_P_8021Q) || protocol == bpf_htons(ETH_P_8021AD);
}

static __always_inline enum Outcome outcome_of_other(__be16 protocol) {
  if (protocol == bpf_htons(ETH_P_ARP))
    return outcome_arp;
  return protocol == bpf_htons(ETH_P_IPV6) ? outcome_ipv6 : outcome_other_protocol;
}

/* Link-layer broadcasts are never forwarded to another network. */
static __always_inline int is_for_many(struct xdp_md *ctx) {
  const __u8 *destination = DATA(ctx);
  return (const void *)(destination + 1) > DATA_END(ctx) || *destination & 1;
}

/* outcome_count: a complete IPv4 packet without options. */
static __always_inline enum Outcome parse(struct xdp_md *ctx, struct Packet *packet) {
  __builtin_memset(packet, 0, sizeof *packet); /* The verifier requires initialized memory. */
  void *end = DATA_END(ctx);
  struct ethhdr *ethernet = DATA(ctx);
  if ((void *)(ethernet + 1) > end)
    return outcome_truncated;
  __be16 protocol = ethernet->h_proto;
  void *next = ethernet + 1;
  if (!sartor_assume("untagged", !is_tag(protocol))) {
#pragma unroll
    for (int i = 0; i < MAX_TAGS; ++i)
      if (is_tag(protocol)) {
        struct Tag *tag = next;
        if ((void *)(tag + 1) > end)
          return outcome_truncated;
        protocol = tag->protocol;
        next = tag + 1;
        ++packet->tags;
      }
  }
  if (protocol != bpf_htons(ETH_P_IP))
    return outcome_of_other(protocol);
  struct iphdr *ip = next;
  if ((void *)(ip + 1) > end)
    return outcome_truncated;
  packet->ip = ip;
  packet->bytes = bpf_ntohs(ip->tot_len);
  if (ip->version != 4 || ip->ihl < 5 || packet->bytes < ip->ihl * 4)
    return outcome_malformed;
  if (packet->bytes > end - next)
    return outcome_truncated;
  if (!sartor_assume("without_options", ip->ihl == 5))
    return outcome_with_options;
  return is_header_intact(ip) ? outcome_count : outcome_bad_checksum;
}

#endif
