/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Passes one packet after another to a handler, instead of the one that it has changed, which
 * the kernel's test runs would pass again. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "sequence.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, sequence_length);
  __type(key, __u32);
  __type(value, struct SequencePacket);
} packets SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_PROG_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, __u32);
} handler SEC(".maps");

__u32 next;

SEC("xdp") int sequence(struct xdp_md *ctx) {
  const int grown = ctx->data_end - ctx->data - sizeof(struct SequencePacket);
  if (grown && bpf_xdp_adjust_head(ctx, grown))
    return XDP_ABORTED;
  const __u32 key = next++ % sequence_length;
  const struct SequencePacket *packet = bpf_map_lookup_elem(&packets, &key);
  struct SequencePacket *data = (void *)(long)ctx->data;
  if (!packet || (void *)(data + 1) > (void *)(long)ctx->data_end)
    return XDP_ABORTED;
  *data = *packet;
  bpf_tail_call(ctx, &handler, 0);
  return XDP_ABORTED;
}

/* An empty program, to measure the overhead of the sequence. */
SEC("xdp") int nothing(struct xdp_md *ctx) { return ctx ? XDP_PASS : XDP_ABORTED; }

char _license[] SEC("license") = "GPL";
