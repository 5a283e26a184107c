/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How a function's handlers deal with a packet in the kernel, and what they share with whoever
 * loads them. Included by the BPF source of each. */
#ifndef SARTOR_STUDY_NF_XDP_BPF_H
#define SARTOR_STUDY_NF_XDP_BPF_H

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include <sartor/points.h>

#include "parse.h"

#ifndef NF_NOW
#define NF_NOW() bpf_ktime_get_ns()
#endif

/* Where packets leave, by enum NfSide. */
struct {
  __uint(type, BPF_MAP_TYPE_DEVMAP);
  __uint(max_entries, nf_sides);
  __type(key, __u32);
  __type(value, __u32);
} ports SEC(".maps");

/* Which of two configurations is in force. The other one is written, and then this. */
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, __u32);
} in_force SEC(".maps");
SARTOR_READ_MOSTLY(in_force);

#define NF_COUNT(state, outcome) nf_count(outcome)

/* Counts outcomes; `counts` comes with NF_XDP_MAPS(). */
NF_INLINE void nf_count(uint32_t outcome);

/* The maps whose sizes are the function's. */
#define NF_XDP_MAPS(name, Name)                                                                    \
  struct {                                                                                         \
    __uint(type, BPF_MAP_TYPE_ARRAY);                                                              \
    __uint(max_entries, 2);                                                                        \
    __type(key, __u32);                                                                            \
    __type(value, struct Name##Config);                                                            \
  } configurations SEC(".maps");                                                                   \
  SARTOR_READ_MOSTLY(configurations);                                                              \
  struct {                                                                                         \
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);                                                       \
    __uint(max_entries, name##_outcomes);                                                          \
    __type(key, __u32);                                                                            \
    __type(value, __u64);                                                                          \
  } counts SEC(".maps");                                                                           \
  NF_INLINE void nf_count(uint32_t outcome) {                                                      \
    __u64 *count = bpf_map_lookup_elem(&counts, &outcome);                                         \
    if (count)                                                                                     \
      ++*count;                                                                                    \
  }

NF_INLINE int nf_action(uint32_t side, enum NfVerdict verdict) {
  switch (verdict) {
  case nf_pass_on:
    return (int)bpf_redirect_map(&ports, side == nf_external ? nf_internal : nf_external, XDP_DROP);
  case nf_return:
    return XDP_TX;
  case nf_keep:
    return XDP_PASS;
  default:
    return XDP_DROP;
  }
}

/* The handlers NAME_from_external and NAME_from_internal, one for each port. A frame in several
 * buffers is only as long as the first. */
#define NF_XDP(parse, name, Name)                                                                  \
  NF_INLINE int name##_run(struct xdp_md *ctx, uint32_t side) {                                    \
    const __u32 first = 0;                                                                         \
    const __u32 *half = bpf_map_lookup_elem(&in_force, &first);                                    \
    const struct Name##Config *config = half ? bpf_map_lookup_elem(&configurations, half) : 0;     \
    if (!config)                                                                                   \
      return XDP_ABORTED;                                                                          \
    struct Name##State state = {.half = *half};                                                    \
    struct NfPacket packet = {.data = (uint8_t *)(long)ctx->data,                                  \
                              .end = (uint8_t *)(long)ctx->data_end,                               \
                              .side = (uint8_t)side};                                              \
    packet.form = (uint8_t)parse(&packet);                                                         \
    name##_prepare(config, &state, &packet);                                                       \
    return nf_action(side, name##_packet(config, &state, &packet, NF_NOW(), 0));                   \
  }                                                                                                \
  SEC("xdp") SARTOR_HANDLER int name##_from_external(struct xdp_md *ctx) {                         \
    return name##_run(ctx, nf_external);                                                           \
  }                                                                                                \
  SEC("xdp") SARTOR_HANDLER int name##_from_internal(struct xdp_md *ctx) {                         \
    return name##_run(ctx, nf_internal);                                                           \
  }                                                                                                \
  char _license[] SEC("license") = "GPL";

#endif
