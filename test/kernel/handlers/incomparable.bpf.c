/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Handlers that cannot be compared in test runs. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include <sartor/points.h>

SEC("xdp") SARTOR_HANDLER int samples(struct xdp_md *ctx) {
  const __u32 queue = sartor_enum("samples", ctx->rx_queue_index, 0, 1);
  return bpf_get_prandom_u32() % 2 ? XDP_PASS : XDP_DROP + (queue > 100);
}

SEC("tc") SARTOR_HANDLER int mirrors(struct __sk_buff *skb) {
  const __u32 device = sartor_generic("mirrors", skb->mark);
  return bpf_clone_redirect(skb, device + 1000, 0) ? 0 : 2;
}

SEC("cgroup/sock_create") SARTOR_HANDLER int admits(struct bpf_sock *ctx) {
  return sartor_generic("admits", ctx->protocol) != 200;
}

char _license[] SEC("license") = "GPL";
