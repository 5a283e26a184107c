/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A stateful firewall for IPv4: one handler for the inside interface, one for the outside one.
 * Allowed packets are passed to the kernel. It tracks connections by addresses and ports; it
 * does not check sequence numbers. */
#include "firewall.h"
#include "count.bpf.h"
#include "parse.bpf.h"
#include "transport.bpf.h"
#include "version.bpf.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, max_rules);
  __type(key, __u32);
  __type(value, struct Rule);
} rules SEC(".maps");
SARTOR_READ_MOSTLY(rules);

/* The last entry counts packets without a rule. */
struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, max_rules + 1);
  __type(key, __u32);
  __type(value, struct RuleCount);
} rule_counts SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, max_connections);
  __type(key, struct Connection);
  __type(value, struct ConnectionState);
} connections SEC(".maps");

__u64 version;
__u32 rule_count;
struct Patience patience = {{30000000000ULL, 3600000000000ULL, 10000000000ULL, 60000000000ULL}};

/* `service`: the destination port, the protocol, and the side of the source. */
static __always_inline __u32 service_of(__u16 port, __u8 protocol, enum Side side) {
  return port | (__u32)protocol << 16 | (__u32)side << 24;
}

static __always_inline int fits(const struct Rule *rule, __u32 source, __u32 destination,
                                __u32 service) {
  const __u16 port = service;
  const __u8 protocol = service >> 16;
  return rule->side == service >> 24 && (!rule->protocol || rule->protocol == protocol) &&
         (source & rule->source_mask) == rule->source &&
         (destination & rule->destination_mask) == rule->destination && port >= rule->first_port &&
         port <= rule->last_port;
}

/* Not static, so that the verifier checks it separately, once. */
__attribute__((noinline)) __u32 find_rule(__u32 source, __u32 destination, __u32 service,
                                          __u32 count) {
  for (__u32 i = 0; i < max_rules && i < count; ++i) {
    const __u32 key = i;
    const struct Rule *rule = bpf_map_lookup_elem(&rules, &key);
    if (rule && fits(rule, source, destination, service))
      return rule->answer;
  }
  return max_rules | (service >> 24 == side_inside ? rule_allows : 0);
}

static __always_inline struct Connection
connection_of(const struct iphdr *ip, const struct Transport *transport, enum Side side) {
  const struct Connection from_inside = {ip->saddr, ip->daddr, transport->source,
                                         transport->destination, ip->protocol};
  const struct Connection from_outside = {ip->daddr, ip->saddr, transport->destination,
                                          transport->source, ip->protocol};
  return side == side_inside ? from_inside : from_outside;
}

static __always_inline int is_alive(const struct ConnectionState *state, __u64 now) {
  const __u64 most = patience.of_phase[state->phase % phase_count];
  return (__s64)(now - state->seen) <= (__s64)most;
}

static __always_inline int are_flags_possible(__u8 flags) {
  if (flags & flag_syn)
    return !(flags & (flag_fin | flag_rst));
  return flags & flag_rst || flags & flag_ack;
}

/* The next phase, or phase_none if the packet is invalid in this state. */
static __always_inline enum ConnectionPhase next_phase(struct ConnectionState *state, __u8 flags,
                                                       enum Side side) {
  if (flags & flag_rst) {
    state->ended = 3;
    return phase_closing;
  }
  /* A SYN may be repeated, and its answer also: either side may have lost its state. */
  const __u8 expected = side == state->opener ? flag_syn : flag_syn | flag_ack;
  const int is_handshake = (flags & (flag_syn | flag_ack)) == expected;
  if ((flags & flag_syn || state->phase == phase_opening) && !is_handshake)
    return phase_none;
  if (state->phase == phase_opening)
    return side == state->opener ? phase_opening : phase_open;
  if (flags & flag_fin)
    state->ended |= 1 << side;
  return state->ended ? phase_closing : phase_open;
}

static __always_inline int pass_known(struct ConnectionState *state, __u32 protocol, __u8 flags,
                                      enum Side side, __u64 now) {
  if (protocol == IPPROTO_TCP) {
    const enum ConnectionPhase phase = next_phase(state, flags, side);
    if (phase == phase_none)
      return count(outcome_out_of_state, XDP_DROP);
    state->phase = phase;
  }
  state->seen = now;
  return count(outcome_known, XDP_PASS);
}

static __always_inline void count_for_rule(__u32 rule, __u16 bytes) {
  struct RuleCount *counter = bpf_map_lookup_elem(&rule_counts, &rule);
  if (!counter)
    return;
  ++counter->packets;
  counter->bytes += bytes;
}

static __always_inline int open(const struct Packet *packet, const struct Transport *transport,
                                const struct Connection *connection, enum Side side, __u64 now) {
  const struct iphdr *ip = packet->ip;
  if (ip->protocol == IPPROTO_TCP &&
      (transport->flags & (flag_syn | flag_ack | flag_rst)) != flag_syn)
    return count(outcome_out_of_state, XDP_DROP);
  if (ip->protocol == IPPROTO_ICMP && transport->type != icmp_echo)
    return count(outcome_denied, XDP_DROP);
  const __u16 port = ip->protocol == IPPROTO_ICMP ? 0 : bpf_ntohs(transport->destination);
  const __u64 begun = begin_reading(&version);
  const __u32 rule = sartor_fast_path_versioned(
      "rule", &version, find_rule, ip->saddr, ip->daddr, service_of(port, ip->protocol, side),
      sartor_enum("rules", rule_count, 16, 64, 100, 128, 256));
  if (has_changed(&version, begun))
    return count(outcome_changing, XDP_DROP);
  count_for_rule(rule & ~rule_allows, packet->bytes);
  if (!(rule & rule_allows))
    return count(outcome_denied, XDP_DROP);
  const struct ConnectionState state = {
      .seen = now,
      .phase = ip->protocol == IPPROTO_TCP ? phase_opening : phase_none,
      .opener = side,
  };
  bpf_map_update_elem(&connections, connection, &state, BPF_ANY);
  return count(outcome_opened, XDP_PASS);
}

/* Handles an error about a packet in the opposite direction. That packet begins after the
 * error's header and has at least eight bytes after its own header. */
static __always_inline int pass_error(struct xdp_md *ctx, const struct Packet *packet,
                                      enum Side side, __u64 now) {
  const struct iphdr *about = (const void *)packet->ip + sizeof *about + sizeof(struct Icmp);
  const __be16 *ports = (const void *)(about + 1);
  if ((const void *)(ports + 4) > DATA_END(ctx) ||
      packet->bytes < 2 * sizeof *about + sizeof(struct Icmp) + 4 * sizeof *ports)
    return count(outcome_truncated, XDP_DROP);
  struct Transport transport = {};
  if (about->protocol == IPPROTO_ICMP) /* an echo's identifier */
    transport.source = transport.destination = ports[2];
  else {
    transport.source = ports[0];
    transport.destination = ports[1];
  }
  const struct Connection connection =
      connection_of(about, &transport, side == side_inside ? side_outside : side_inside);
  const struct ConnectionState *state = bpf_map_lookup_elem(&connections, &connection);
  if (about->version != 4 || about->ihl != 5 || !state || !is_alive(state, now))
    return count(outcome_denied, XDP_DROP);
  return count(outcome_related, XDP_PASS);
}

static __always_inline int is_error(__u8 type) {
  return type == icmp_unreachable || type == icmp_expired || type == icmp_bad_parameter;
}

static __always_inline int filter(struct xdp_md *ctx, enum Side side) {
  struct Packet packet;
  struct Transport transport;
  enum Outcome outcome = parse(ctx, &packet);
  if (outcome == outcome_arp)
    return count(outcome, XDP_PASS);
  if (outcome == outcome_count)
    outcome = parse_transport(ctx, &packet, &transport);
  if (outcome != outcome_count)
    return count(outcome, XDP_DROP);
  const __u32 protocol = packet.ip->protocol;
  if (protocol == IPPROTO_TCP && !are_flags_possible(transport.flags))
    return count(outcome_bad_flags, XDP_DROP);
  const __u64 now = bpf_ktime_get_ns();
  if (protocol == IPPROTO_ICMP && is_error(transport.type))
    return pass_error(ctx, &packet, side, now);
  const struct Connection connection = connection_of(packet.ip, &transport, side);
  struct ConnectionState *state = bpf_map_lookup_elem(&connections, &connection);
  /* The ports of a finished connection may be used again. */
  const int is_over = state && state->ended == 3 && transport.flags & flag_syn;
  if (state && !is_over && is_alive(state, now))
    return pass_known(state, protocol, transport.flags, side, now);
  return open(&packet, &transport, &connection, side, now);
}

SEC("xdp") SARTOR_HANDLER int from_inside(struct xdp_md *ctx) { return filter(ctx, side_inside); }

SEC("xdp") SARTOR_HANDLER int from_outside(struct xdp_md *ctx) { return filter(ctx, side_outside); }

char _license[] SEC("license") = "GPL";
