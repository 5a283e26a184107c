/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Admits UDP packets of known peers, and all other packets that are not UDP. */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/udp.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include <sartor/points.h>

#include "rules.h"

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 1024);
  __type(key, struct peer);
  __type(value, struct rule);
} peers SEC(".maps");
SARTOR_READ_MOSTLY(peers); /* its content may be declared invariant */

__u64 dropped;

SEC("xdp") SARTOR_HANDLER int filter(struct xdp_md *context) {
  const void *end = (void *)(long)context->data_end;
  const struct ethhdr *ethernet = (void *)(long)context->data;
  const struct iphdr *ip = (void *)(ethernet + 1);
  if ((void *)(ip + 1) > end || ethernet->h_proto != bpf_htons(ETH_P_IP) ||
      ip->protocol != IPPROTO_UDP)
    return XDP_PASS;
  /* IP headers rarely have options. Without, the UDP header is at a fixed offset. */
  const __u32 words = sartor_enum("words", ip->ihl, 5, 6, 15);
  const struct udphdr *udp = (void *)ip + words * 4;
  if ((void *)(udp + 1) > end)
    return XDP_DROP;
  struct peer from = {.address = ip->saddr, .port = udp->dest};
  const struct rule *rule = bpf_map_lookup_elem(&peers, &from);
  if (rule && bpf_ntohs(udp->len) <= rule->bytes_at_most)
    return XDP_PASS;
  __sync_fetch_and_add(&dropped, 1);
  return XDP_DROP;
}

char _license[] SEC("license") = "GPL";
