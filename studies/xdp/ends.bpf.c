/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs at the ends of cables (real.sh); not handlers. */
#include "parse.bpf.h"

#include <linux/in.h>

/* Runs at a back end: removes the balancer's encapsulation. */
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
