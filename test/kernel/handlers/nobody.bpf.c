/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls a function that is not defined anywhere. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include <sartor/points.h>

extern int nobody_has_this(int number);

SEC("xdp") SARTOR_HANDLER int calls_nobody(struct xdp_md *ctx) {
  return nobody_has_this(sartor_enum("queue", ctx->rx_queue_index, 0, 1));
}

char _license[] SEC("license") = "GPL";
