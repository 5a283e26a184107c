/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Values read from a packet that is too short are undefined, and are passed on until their use. */
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

enum Outcome { outcome_known, outcome_short, outcome_odd, outcome_tagged };

struct Parsed {
  struct Packet *packet;
  __u32 key;
  __u16 scale;
  __u8 tags;
};

static __u32 mix(__u32 key, __u32 scale) { return key * 31 + scale; }

static __always_inline enum Outcome parse(struct xdp_md *ctx, struct Parsed *parsed) {
  struct Packet *packet = (void *)(long)ctx->data;
  parsed->tags = 0;
  if ((void *)(packet + 1) > (void *)(long)ctx->data_end)
    return outcome_short;
  if (!sartor_assume("plain", packet->rounds < 8))
    parsed->tags = packet->rounds - 7;
  parsed->packet = packet;
  parsed->key = packet->key;
  parsed->scale = packet->scale;
  return sartor_assume("even", packet->step % 2 == 0) ? outcome_known : outcome_odd;
}

static __always_inline int count(enum Outcome outcome, int verdict) {
  const __u32 key = outcome;
  __u64 *found = bpf_map_lookup_elem(&counts, &key);
  if (found)
    ++*found;
  return verdict;
}

SEC("xdp") SARTOR_HANDLER int undefined(struct xdp_md *ctx) {
  struct Parsed parsed;
  enum Outcome outcome = parse(ctx, &parsed);
  if (outcome == outcome_known && parsed.tags)
    outcome = outcome_tagged;
  if (outcome != outcome_known)
    return count(outcome, outcome == outcome_short ? XDP_DROP : XDP_PASS);
  parsed.packet->mixed = sartor_fast_path("mixed", mix, parsed.key, parsed.scale);
  return count(outcome_known, parsed.scale > parsed.key ? XDP_TX : XDP_PASS);
}

char _license[] SEC("license") = "GPL";
