/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Forwards IPv4 packets, tagged or not, and passes the packets that need more work to the
 * kernel: local ones, expired ones, those with options or too large for the link. */
#include "forward.h"
#include "count.bpf.h"
#include "parse.bpf.h"
#include "version.bpf.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, max_routes);
  __type(key, __u32);
  __type(value, struct Route);
} routes SEC(".maps");
SARTOR_READ_MOSTLY(routes);

struct {
  __uint(type, BPF_MAP_TYPE_LPM_TRIE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __uint(max_entries, max_routes);
  __type(key, struct RouteKey);
  __type(value, __u32);
} trie SEC(".maps");
SARTOR_READ_MOSTLY(trie);

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, max_hops);
  __type(key, __u32);
  __type(value, struct Hop);
} hops SEC(".maps");
SARTOR_READ_MOSTLY(hops);

__u64 version;
__u32 route_count;

enum { no_hop = 0xffffffff };

/* Not static, so that the verifier checks it separately, once. */
__attribute__((noinline)) __u32 search_routes(__u32 destination, __u32 count) {
  for (__u32 i = 0; i < max_routes && i < count; ++i) {
    const __u32 key = i;
    const struct Route *route = bpf_map_lookup_elem(&routes, &key);
    if (route && (destination & route->mask) == route->prefix)
      return route->hop;
  }
  return no_hop;
}

static __u32 find_route(__u32 destination, __u32 count) {
  return sartor_custom("search", "routes", search_routes, destination, count);
}

static __u32 find_in_trie(__u32 destination) {
  const struct RouteKey key = {32, destination};
  const __u32 *hop = bpf_map_lookup_elem(&trie, &key);
  return hop ? *hop : no_hop;
}

/* Addresses that are never routed to another network. */
static __always_inline int is_for_this_network(__be32 destination) {
  const __u32 address = bpf_ntohl(destination);
  return address >= 0xe0000000 || address >> 24 == 127 || address >> 24 == 0;
}

/* outcome_count: the packet may be forwarded. */
static __always_inline enum Outcome look_at(struct xdp_md *ctx, struct Packet *packet) {
  const enum Outcome outcome = parse(ctx, packet);
  if (outcome != outcome_count)
    return outcome;
  if (is_for_many(ctx) || is_for_this_network(packet->ip->daddr) ||
      is_for_this_network(packet->ip->saddr))
    return outcome_local;
  return packet->ip->ttl <= 1 ? outcome_expired : outcome_count;
}

static __always_inline int leave(enum Outcome outcome) {
  return count(outcome, is_broken(outcome) ? XDP_DROP : XDP_PASS);
}

static __always_inline int send(struct xdp_md *ctx, struct iphdr *ip, const struct Hop *hop) {
  struct ethhdr *ethernet = DATA(ctx);
  if ((void *)(ethernet + 1) > DATA_END(ctx))
    return leave(outcome_truncated);
  /* The time to live is the upper half of a word. */
  ip->check = updated_checksum(ip->check, bpf_htons(0x0100), 0);
  --ip->ttl;
  __builtin_memcpy(ethernet->h_dest, hop->to, ETH_ALEN);
  __builtin_memcpy(ethernet->h_source, hop->from, ETH_ALEN);
  return count(outcome_forwarded, bpf_redirect(hop->interface, 0));
}

static __always_inline int send_by(struct xdp_md *ctx, const struct Packet *packet, __u32 number,
                                   __u64 begun) {
  struct Hop hop = {};
  const struct Hop *found = bpf_map_lookup_elem(&hops, &number);
  if (found)
    hop = *found;
  if (has_changed(&version, begun))
    return leave(outcome_changing);
  if (number == 0)
    return leave(outcome_local);
  if (!hop.interface)
    return leave(outcome_no_route);
  if (packet->bytes > hop.mtu)
    return leave(outcome_too_big);
  return send(ctx, packet->ip, &hop);
}

SEC("xdp") SARTOR_HANDLER int forward(struct xdp_md *ctx) {
  struct Packet packet;
  const enum Outcome outcome = look_at(ctx, &packet);
  if (outcome != outcome_count)
    return leave(outcome);
  const __u64 begun = begin_reading(&version);
  const __u32 count = sartor_enum("routes", route_count, 16, 64, 256, 1000, 1024);
  const __u32 hop =
      sartor_fast_path_versioned("route", &version, find_route, packet.ip->daddr, count);
  return send_by(ctx, &packet, hop, begun);
}

/* The same with the kernel's longest-prefix-match trie. */
SEC("xdp") SARTOR_HANDLER int forward_by_trie(struct xdp_md *ctx) {
  struct Packet packet;
  const enum Outcome outcome = look_at(ctx, &packet);
  if (outcome != outcome_count)
    return leave(outcome);
  const __u64 begun = begin_reading(&version);
  const __u32 hop =
      sartor_fast_path_versioned("route_in_trie", &version, find_in_trie, packet.ip->daddr);
  return send_by(ctx, &packet, hop, begun);
}

char _license[] SEC("license") = "GPL";
