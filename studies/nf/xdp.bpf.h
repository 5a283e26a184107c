/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The packet processing of a function's handlers in the kernel, and the maps that they share
 * with the loader. Included by the BPF source of each function. */
#ifndef SARTOR_STUDY_NF_XDP_BPF_H
#define SARTOR_STUDY_NF_XDP_BPF_H

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include <sartor/points.h>

#include "parse.h"

#ifndef NF_NOW
#define NF_NOW() bpf_ktime_get_ns()
#endif

/* The egress interfaces, by enum NfSide. */
struct {
  __uint(type, BPF_MAP_TYPE_DEVMAP);
  __uint(max_entries, nf_sides);
  __type(key, __u32);
  __type(value, __u32);
} ports SEC(".maps");

/* The index of the active one of two configurations. The loader writes the other one, then this
 * index. */
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, __u32);
} active SEC(".maps");
SARTOR_READ_MOSTLY(active);

#define NF_COUNT(state, outcome) nf_count(outcome)

/* Counts outcomes; NF_XDP_MAPS() defines `counts`. */
NF_INLINE void nf_count(uint32_t outcome);

/* The maps whose sizes depend on the function. */
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

/* Defines the handlers NAME_from_external and NAME_from_internal, one for each port. Of a frame
 * in several buffers, only the first buffer is visible. */
#define NF_XDP(parse, name, Name)                                                                  \
  NF_INLINE int name##_run(struct xdp_md *ctx, uint32_t side) {                                    \
    const __u32 first = 0;                                                                         \
    const __u32 *half = bpf_map_lookup_elem(&active, &first);                                      \
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
