/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The two ends of a line on which a handler is tested at full load. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "live_frame.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, live_frames);
  __type(key, __u32);
  __type(value, struct LiveFrame);
} frames SEC(".maps"); /* sent cyclically */

__u32 interface; /* to send on */
__u32 next;
__u32 compares; /* whether received frames are compared with the expected ones or only counted */
struct LiveFrame expected;
__u64 right;
__u64 wrong;

/* Restores the frame, since the kernel sends the same pages again after handlers have changed
 * them. */
SEC("xdp") int live_send(struct xdp_md *ctx) {
  struct LiveFrame *frame = (void *)(long)ctx->data;
  const __u32 key = next++ % live_frames;
  const struct LiveFrame *sent = bpf_map_lookup_elem(&frames, &key);
  if (!sent || (void *)(frame + 1) > (void *)(long)ctx->data_end)
    return XDP_ABORTED;
  *frame = *sent;
  return bpf_redirect(interface, 0);
}

SEC("xdp") int live_receive(struct xdp_md *ctx) {
  const struct LiveFrame *frame = (void *)(long)ctx->data;
  __u64 difference = 0;
  const void *end = (void *)(long)ctx->data_end;
  if ((void *)(frame + 1) > end || ctx->data_end - ctx->data != sizeof *frame)
    return XDP_PASS; /* a packet of the kernel itself, such as neighbour discovery */
  for (__u32 i = 0; compares && i < sizeof *frame / sizeof *frame->words; ++i)
    difference |= frame->words[i] ^ expected.words[i];
  __sync_fetch_and_add(difference ? &wrong : &right, 1);
  return XDP_DROP;
}

char _license[] SEC("license") = "GPL";
