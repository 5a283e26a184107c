/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Has a map of 64 MiB. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1 << 20);
  __type(key, __u32);
  __type(value, __u64[8]);
} large SEC(".maps");

SEC("xdp") int find(struct xdp_md *ctx) {
  const __u32 key = ctx->rx_queue_index;
  return bpf_map_lookup_elem(&large, &key) ? XDP_PASS : XDP_DROP;
}

char _license[] SEC("license") = "GPL";
