/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Longer than the longest program that the kernel accepts. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

SEC("xdp") int endless(struct xdp_md *ctx) {
  asm volatile(".rept 1000001\n r0 = 0\n .endr" : : : "r0");
  return ctx ? XDP_PASS : XDP_DROP;
}

char _license[] SEC("license") = "GPL";
