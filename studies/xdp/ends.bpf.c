/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is at the ends of cables (real.sh); no handlers. */
#include "parse.bpf.h"

#include <linux/in.h>

/* At a back end: takes off what the balancer has wrapped packets in. */
SEC("xdp") int decapsulate(struct xdp_md *ctx) {
  struct Packet packet;
  if (parse(ctx, &packet) != outcome_count || packet.tags || packet.ip->protocol != IPPROTO_IPIP ||
      packet.ip->frag_off & FRAGMENT)
    return XDP_PASS;
  const struct ethhdr ethernet = *(const struct ethhdr *)DATA(ctx);
  if (bpf_xdp_adjust_head(ctx, sizeof(struct iphdr)))
    return XDP_DROP;
  struct ethhdr *moved = DATA(ctx);
  if ((void *)(moved + 1) > DATA_END(ctx))
    return XDP_DROP;
  *moved = ethernet;
  return XDP_PASS;
}

SEC("xdp") int pass(struct xdp_md *ctx) { return ctx ? XDP_PASS : XDP_ABORTED; }

char _license[] SEC("license") = "GPL";
