/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A handler that calls global functions, which the verifier checks separately.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include <sartor/points.h>

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, __u32);
} of_processors SEC(".maps");

struct pair {
  __u32 one, other;
};

__noinline int classify(struct pair *pair) { return pair ? pair->one > pair->other * 3 : 0; }
__noinline __weak int scaled(struct pair *pair, int by) {
  if (!pair)
    return -1;
  return by > 2 ? (int)pair->other : (int)pair->one * by;
}

SEC("xdp") SARTOR_HANDLER int alone(struct xdp_md *ctx) {
  struct pair pair = {ctx->rx_queue_index, ctx->ingress_ifindex};
  pair.other = sartor_enum("class", pair.other & 3, 0, 1, 2, 3);
  const int by = scaled(&pair, 3);
  return classify(&pair) ? XDP_PASS : by == 1 ? XDP_TX : XDP_DROP;
}

char _license[] SEC("license") = "GPL";
