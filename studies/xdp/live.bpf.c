/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The two ends of a line on which a handler is tried at full load. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "live_frame.h"

__u32 interface; /* on which frames are sent */
struct LiveFrame sent;
struct LiveFrame expected;
__u64 right;
__u64 wrong;

/* The kernel sends the same pages again, with what handlers have made of them. */
SEC("xdp") int live_send(struct xdp_md *ctx) {
  struct LiveFrame *frame = (void *)(long)ctx->data;
  if ((void *)(frame + 1) > (void *)(long)ctx->data_end)
    return XDP_ABORTED;
  *frame = sent;
  return bpf_redirect(interface, 0);
}

SEC("xdp") int live_receive(struct xdp_md *ctx) {
  const struct LiveFrame *frame = (void *)(long)ctx->data;
  __u64 difference = 0;
  const void *end = (void *)(long)ctx->data_end;
  if ((void *)(frame + 1) > end || ctx->data_end - ctx->data != sizeof *frame)
    return XDP_PASS; /* the kernel's own: somebody looks for neighbours */
  for (__u32 i = 0; i < sizeof *frame / sizeof *frame->words; ++i)
    difference |= frame->words[i] ^ expected.words[i];
  __sync_fetch_and_add(difference ? &wrong : &right, 1);
  return XDP_DROP;
}

char _license[] SEC("license") = "GPL";
