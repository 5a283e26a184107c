/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls a function that programs of its type may not call. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include <sartor/points.h>

SEC("xdp") SARTOR_HANDLER int loads_as_if_it_were_a_socket(struct xdp_md *ctx) {
  __u32 word = 0;
  bpf_skb_load_bytes(ctx, 0, &word, sizeof word);
  return sartor_assume("none", word == 0) ? XDP_PASS : XDP_DROP;
}

char _license[] SEC("license") = "GPL";
