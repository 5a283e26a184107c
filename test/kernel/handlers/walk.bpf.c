/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The verifier walks through each iteration of a loop whose count it knows. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include <sartor/points.h>

SEC("xdp") SARTOR_HANDLER int walk(struct xdp_md *ctx) {
  const __u8 *data = (void *)(long)ctx->data;
  if (data + 1 > (const __u8 *)(long)ctx->data_end)
    return XDP_DROP;
  const __u32 asked = data[0];
  const __u32 rounds = sartor_enum("rounds", asked, 1, 2, 200000);
  __u32 mixed = 0;
  for (__u32 i = 0; i < rounds; ++i) {
#pragma unroll
    for (__u32 k = 0; k < 100; ++k) /* limits the number of verifier states */
      mixed = (mixed ^ i ^ k) * 0x85ebca6b;
  }
  return mixed % 2 ? XDP_PASS : XDP_TX;
}

char _license[] SEC("license") = "GPL";
