/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* All kinds of points. The incoming packet has the inputs, the outgoing one the outputs. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include <sartor/points.h>

#include "packet.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 8);
  __type(key, __u32);
  __type(value, __u64);
} counts SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_PROG_ARRAY);
  __uint(max_entries, 2);
  __type(key, __u32);
  __type(value, __u32);
} slots SEC(".maps");

__u64 runs;
static __u64 table[4] = {1, 10, 100, 1000};
const volatile __u32 offset = 3;
__u64 version;
__u32 secret = 5;

/* Reads memory whose changes are not reported by a version. */
static __attribute__((noinline)) __u32 mix(__u32 x) {
  __u32 mixed = x;
  for (int i = 0; i < 40; ++i)
    mixed = mixed * 31 + (mixed >> 7);
  return mixed;
}

static __attribute__((noinline)) __u32 look(__u32 x) { return x * secret + offset; }

static __always_inline void count(__u32 which) {
  const __u32 key = which & 7;
  __u64 *found = bpf_map_lookup_elem(&counts, &key);
  if (found)
    __sync_fetch_and_add(found, 1);
}

SEC("xdp") SARTOR_HANDLER int points(struct xdp_md *ctx) {
  struct Packet *packet = (void *)(long)ctx->data;
  if ((void *)(packet + 1) > (void *)(long)ctx->data_end)
    return XDP_DROP;
  ++runs;
  __u64 sum = 0;
  const __u8 rounds = sartor_enum("rounds", packet->rounds, 0, 3, 8);
  for (__u32 i = 0; i < rounds && i < 16; ++i) {
    const __s16 step = sartor_range("step", packet->step, -2, 2);
    sum += (__u64)(__s64)step * i + table[i & 3];
    count(i);
  }
  const __u32 scale = sartor_generic("scale", packet->scale);
  sum = scale ? sum / scale + sum % scale : sum;
  table[packet->rounds & 3] += scale & 1;
  if (sartor_assume("short", packet->scale < 1000))
    packet->mixed = sartor_fast_path("mix", mix, packet->key);
  else
    packet->mixed = mix(packet->key + 1);
  packet->looked = sartor_fast_path_versioned("look", &version, look, packet->key);
  packet->sum = sum;
  count(packet->mixed);
  return packet->mixed % 3 ? XDP_PASS : XDP_TX;
}

/* Tail-calls the program in its slot. */
SEC("xdp") int first(struct xdp_md *ctx) {
  bpf_tail_call(ctx, &slots, 1);
  return XDP_ABORTED;
}

SEC("tc") SARTOR_HANDLER int at_tc(struct __sk_buff *skb) {
  const __u32 length = sartor_range("length", skb->len, 0, 70);
  ++runs;
  return length % 2 ? 2 : 0;
}

SEC("cgroup_skb/egress") SARTOR_HANDLER int at_group(struct __sk_buff *skb) {
  ++runs;
  return sartor_assume("is_let_through", skb->len < 100000);
}

SEC("socket") SARTOR_HANDLER int at_socket(struct __sk_buff *skb) {
  ++runs;
  return sartor_generic("taken", skb->len);
}

char _license[] SEC("license") = "GPL";
