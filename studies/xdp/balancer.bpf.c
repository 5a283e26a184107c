/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Distributes TCP and UDP over back ends. Each packet is encapsulated in IPv4 to its back end,
 * which answers the client itself. A flow keeps its back end while others come and go. Packets
 * that are not for a service are passed to the kernel. */
#include "balancer.h"
#include "count.bpf.h"
#include "parse.bpf.h"
#include "transport.bpf.h"
#include "version.bpf.h"

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, max_services);
  __type(key, struct ServiceKey);
  __type(value, struct Service);
} services SEC(".maps");
SARTOR_READ_MOSTLY(services);

/* Indices of back ends; 0: none. */
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, max_services *ring_size);
  __type(key, __u32);
  __type(value, __u32);
} rings SEC(".maps");
SARTOR_READ_MOSTLY(rings);

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, max_back_ends);
  __type(key, __u32);
  __type(value, struct BackEnd);
} back_ends SEC(".maps");
SARTOR_READ_MOSTLY(back_ends);

struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, max_flows);
  __type(key, struct Flow);
  __type(value, struct FlowState);
} flows SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, max_services);
  __type(key, __u32);
  __type(value, struct ServiceCount);
} service_counts SEC(".maps");

__u64 version;
struct Encapsulation encapsulation = {.mtu = 1500, .patience = 300000000000ULL};

enum ServiceWord { /* a service's index, and flags in higher bits */
                   forgets = service_forgets << 16,
                   is_older = 1 << 24, /* the flow began before the last change of tables */
                   no_service = 0xffffffff
};

static __u32 find_service(__u32 address, __u32 port, __u32 protocol) {
  const struct ServiceKey key = {address, port, protocol};
  const struct Service *service = bpf_map_lookup_elem(&services, &key);
  return service ? service->number | (__u32)service->flags << 16 : no_service;
}

static __always_inline __u32 mix(__u32 hash, __u32 word) {
  hash = (hash ^ word) * 0x85ebca6b;
  return hash ^ hash >> 13;
}

static __always_inline __u32 place_in_ring(const struct Flow *flow) {
  __u32 hash = mix(0x9e3779b9, flow->source);
  hash = mix(hash, flow->destination);
  hash = mix(hash, (__u32)flow->source_port << 16 | flow->destination_port);
  hash = mix(hash, flow->protocol) * 0xc2b2ae35;
  return (hash ^ hash >> 16) % ring_size;
}

static __always_inline __u32 address_of(__u32 back_end) {
  const struct BackEnd *found = bpf_map_lookup_elem(&back_ends, &back_end);
  return found ? found->address : 0;
}

/* Returns the back end's address. */
static __always_inline __u32 choose(__u32 service, const struct Flow *flow, __u32 *number) {
  const __u32 place = service * ring_size + place_in_ring(flow);
  const __u32 *chosen = bpf_map_lookup_elem(&rings, &place);
  *number = chosen ? *chosen : 0;
  return *number ? address_of(*number) : 0;
}

/* The target of a connection: its service and, in the lower bits, its back end's address; 0:
 * none assigned since the tables have changed. The result is constant until tables change, as
 * the rings would choose the same back end again, also after a connection was restarted or
 * expired. */
static __u64 find_target(__u32 source, __u32 destination, __u32 ports) {
  const struct Flow flow = {source, destination, ports >> 16, ports, IPPROTO_TCP};
  const __u32 service = find_service(destination, flow.destination_port, IPPROTO_TCP);
  if (service == no_service || service & forgets)
    return (__u64)service << 32;
  const struct FlowState *state = bpf_map_lookup_elem(&flows, &flow);
  if (!state)
    return (__u64)service << 32;
  if (state->tables != (__u32)version)
    return (__u64)(service | is_older) << 32;
  return (__u64)service << 32 | address_of(state->back_end);
}

/* True for one packet in 64, so that `flows` sees active flows even if results are memoized
 * elsewhere: it evicts flows that have not been looked up for long. */
static __always_inline int is_looked_up(const struct iphdr *ip, const struct Transport *transport) {
  return ((ip->check ^ transport->checksum) & 63) == 0;
}

/* The address chosen for an earlier packet of the flow; 0: none that still exists. */
static __always_inline __u32 remembered(const struct Flow *flow, __u64 now) {
  struct FlowState *state = bpf_map_lookup_elem(&flows, flow);
  if (!state)
    return 0;
  if (flow->protocol == IPPROTO_UDP) {
    if ((__s64)(now - state->seen) > (__s64)encapsulation.patience)
      return 0;
    state->seen = now;
  }
  return address_of(state->back_end);
}

/* `tables`: the version before they were read. */
static __always_inline __u32 find_back_end(__u32 service, const struct Flow *flow, int is_new,
                                           __u64 tables) {
  __u32 number;
  if (service & forgets)
    return choose(service & 0xffff, flow, &number);
  const __u64 now = flow->protocol == IPPROTO_UDP ? bpf_ktime_get_ns() : 0;
  __u32 address = is_new ? 0 : remembered(flow, now);
  if (address)
    return address;
  address = choose(service & 0xffff, flow, &number);
  if (!address)
    return 0;
  const struct FlowState state = {.seen = now, .back_end = number, .tables = tables};
  bpf_map_update_elem(&flows, flow, &state, BPF_ANY);
  return address;
}

static __always_inline void count_for_service(__u32 service, __u16 bytes) {
  struct ServiceCount *counter = bpf_map_lookup_elem(&service_counts, &service);
  if (!counter)
    return;
  ++counter->packets;
  counter->bytes += bytes;
}

/* Encapsulates IPv4 in IPv4 (RFC 2003). */
static __always_inline int wrap(struct xdp_md *ctx, __u32 to, __u16 bytes, __u8 service_type) {
  struct ethhdr before;
  const struct ethhdr *old = DATA(ctx);
  if ((const void *)(old + 1) > DATA_END(ctx))
    return count(outcome_truncated, XDP_DROP);
  before = *old;
  if (bpf_xdp_adjust_head(ctx, -(int)sizeof(struct iphdr)))
    return count(outcome_too_big, XDP_DROP);
  struct ethhdr *ethernet = DATA(ctx);
  struct iphdr *ip = (void *)(ethernet + 1);
  if ((void *)(ip + 1) > DATA_END(ctx))
    return count(outcome_truncated, XDP_DROP);
  __builtin_memcpy(ethernet->h_dest, encapsulation.gateway, ETH_ALEN);
  __builtin_memcpy(ethernet->h_source, before.h_dest, ETH_ALEN);
  ethernet->h_proto = before.h_proto;
  ip->version = 4;
  ip->ihl = sizeof *ip / 4;
  ip->tos = service_type;
  ip->tot_len = bpf_htons(bytes + sizeof *ip);
  ip->id = 0;
  ip->frag_off = bpf_htons(0x4000); /* do not fragment */
  ip->ttl = 64;
  ip->protocol = IPPROTO_IPIP;
  ip->saddr = encapsulation.source;
  ip->daddr = to;
  ip->check = 0;
  ip->check = ~fold(sum_of_header(ip));
  return count(outcome_balanced, XDP_TX);
}

static __always_inline int serve(struct xdp_md *ctx, const struct Packet *packet,
                                 const struct Transport *transport) {
  const struct iphdr *ip = packet->ip;
  const struct Flow flow = {ip->saddr, ip->daddr, transport->source, transport->destination,
                            ip->protocol};
  const __u64 begun = begin_reading(&version);
  /* A TCP connection that begins is another flow than an earlier one with the same ports. */
  const int goes_on = ip->protocol == IPPROTO_TCP && !(transport->flags & flag_syn);
  __u64 target;
  if (goes_on) {
    const __u32 ports = (__u32)flow.source_port << 16 | flow.destination_port;
    target = is_looked_up(ip, transport)
                 ? find_target(flow.source, flow.destination, ports)
                 : sartor_fast_path_versioned("target", &version, find_target, flow.source,
                                              flow.destination, ports);
  } else {
    target = (__u64)sartor_fast_path_versioned("service", &version, find_service, ip->daddr,
                                               transport->destination, ip->protocol)
             << 32;
  }
  const __u32 service = target >> 32;
  if (service == no_service)
    return count(has_changed(&version, begun) ? outcome_changing : outcome_no_service, XDP_PASS);
  if (sartor_assume("fits", packet->bytes + sizeof *ip <= encapsulation.mtu) == 0)
    return count(outcome_too_big, XDP_DROP);
  const int is_new = ip->protocol == IPPROTO_TCP && !(service & is_older);
  const __u32 address =
      (__u32)target ? (__u32)target : find_back_end(service, &flow, is_new, begun);
  if (!address)
    return count(outcome_no_back_end, XDP_DROP);
  count_for_service(service & 0xffff, packet->bytes);
  return wrap(ctx, address, packet->bytes, ip->tos);
}

SEC("xdp") SARTOR_HANDLER int balance(struct xdp_md *ctx) {
  struct Packet packet;
  struct Transport transport;
  enum Outcome outcome = parse(ctx, &packet);
  if (outcome == outcome_count && packet.tags)
    outcome = outcome_tagged;
  if (outcome == outcome_count && is_for_many(ctx))
    outcome = outcome_local;
  if (outcome == outcome_count)
    outcome = parse_transport(ctx, &packet, &transport);
  if (outcome != outcome_count)
    return count(outcome, is_broken(outcome) ? XDP_DROP : XDP_PASS);
  if (packet.ip->protocol == IPPROTO_ICMP)
    return count(outcome_other_protocol, XDP_PASS);
  return serve(ctx, &packet, &transport);
}

char _license[] SEC("license") = "GPL";
