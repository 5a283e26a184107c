/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "balancer.h"
#include "table.bpf.h"
#include "xdp.bpf.h"

NF_TABLE(balancer_flows, BalancerFlows, struct BalancerKey, struct BalancerFlow)

struct BalancerState {
  struct BalancerFlows flows;
  uint32_t half;
};

NF_XDP_MAPS(balancer, Balancer)

/* The lookup tables of all VIPs, for each of the two configurations. */
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 2 * balancer_most_vips);
  __type(key, __u32);
  __type(value, struct BalancerLookup);
} lookups SEC(".maps");

NF_INLINE uint32_t balancer_lookup(const struct BalancerConfig *config,
                                   const struct BalancerState *state, uint32_t vip,
                                   uint32_t entry) {
  (void)config;
  const uint32_t number = state->half * balancer_most_vips + vip;
  const struct BalancerLookup *lookup = bpf_map_lookup_elem(&lookups, &number);
  uint64_t at = entry;
  NF_KEEP(at);
  return lookup && at < balancer_most_lookup ? lookup->numbers[at] : balancer_nobody;
}

#include "balancer_packet.h"

NF_XDP(nf_parse, balancer, Balancer)
