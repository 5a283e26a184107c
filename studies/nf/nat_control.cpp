// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nat_control.h"

#include <array>
#include <sstream>
#include <string>
#include <utility>

#include "control.h"
#include "nat_peer.h"
#include "settings.h"

namespace nf {

namespace {

constexpr unsigned kAtOnce = nf_window; ///< Few, as packets do not wait.
constexpr std::uint32_t kHostsOfExample = 65'536;
constexpr unsigned kForwardsOfExample = 32;

constexpr std::array<const char *, nat_outcomes> kOutcomes = {
    "outbound",   "inbound", "hairpinned",   "error_translated", "fragment_translated",
    "local",      "other",   "no_mapping",   "filtered",         "no_port",
    "table_full", "foreign", "ttl_exceeded", "fragment",         "protocol",
    "bad_error",  "broken"};

struct Cursors {
  std::uint32_t fragments;
  std::uint32_t inside;
  std::uint32_t peers;
};
Cursors swept{}; ///< First slots of the next sweep.

std::uint64_t timer(Settings &settings, std::string_view key, unsigned least, unsigned otherwise) {
  const std::uint64_t given = settings.nanoseconds(key, otherwise);
  if (given < std::uint64_t{least} * 1'000'000'000)
    settings.refuse(key, "must be " + std::to_string(least) + " seconds at least");
  return given;
}

NfEndpoint endpoint(Settings &settings, const std::string &side, std::uint8_t protocol) {
  const std::uint32_t address = settings.address(side + "_address");
  const auto port = static_cast<std::uint16_t>(settings.number(side + "_port", {1, 0xffff}));
  return {nf_swap32(address), nf_swap16(port), protocol, 0};
}

bool has_address(const NatConfig &config, std::uint32_t address) {
  const auto all = std::span(config.addresses).first(config.address_count);
  return std::ranges::find(all, address) != all.end();
}

bool is_inside(const NatConfig &config, std::uint32_t address) {
  return (address & config.mask) == config.network;
}

void read_addresses(Settings &settings, NatConfig &config) {
  for (Settings &one : settings.list("address", nat_most_addresses)) {
    const std::uint32_t address = nf_swap32(one.address("address"));
    one.finish();
    if (has_address(config, address))
      one.refuse("address", "is there twice");
    if (is_inside(config, address))
      one.refuse("address", "is inside");
    config.addresses[config.address_count++] = address;
  }
  if (config.address_count == 0)
    settings.refuse("address", "must have an entry, under [[nat.address]]");
}

void read_forwards(Settings &settings, NatConfig &config) {
  for (Settings &one : settings.list("forward", nat_most_forwards)) {
    const std::uint8_t protocol =
        one.word("protocol", {"tcp", "udp"}) == 0 ? IPPROTO_TCP : IPPROTO_UDP;
    const NatForward forward = {endpoint(one, "outside", protocol),
                                endpoint(one, "inside", protocol)};
    one.finish();
    if (!has_address(config, forward.outside.address))
      one.refuse("outside_address", "is none of those under [[nat.address]]");
    if (!is_inside(config, forward.inside.address))
      one.refuse("inside_address", "is not inside");
    if (nat_forward_to(&config, &forward.outside))
      one.refuse("outside_port", "is forwarded twice");
    if (nat_forward_from(&config, &forward.inside))
      one.refuse("inside_port", "is forwarded to twice");
    config.forwards[config.forward_count++] = forward;
  }
}

bool is_still_given(const NatConfig &config, const NfEndpoint &inside, const NfEndpoint &outside) {
  const unsigned port = nf_swap16(outside.port);
  const bool has_port =
      outside.protocol == IPPROTO_ICMP || (port >= config.least_port && port <= config.most_port);
  return has_port && is_inside(config, inside.address) && has_address(config, outside.address) &&
         !nat_forward_to(&config, &outside) && !nat_forward_from(&config, &inside);
}

int is_mapping_over(const NfEndpoint *inside, const NatMapping *mapping, void *now) {
  if (!nat_is_over(&nat_config, inside->protocol, mapping, *static_cast<std::uint64_t *>(now)))
    return 0;
  nat_release(&nat_state, &mapping->outside, kAtOnce);
  return 1;
}

/// The removal of a connection may shorten the timeout of its mapping.
int is_peer_over(const NatPeerKey *key, const NatPeer *peer, void *now) {
  if (!nat_is_peer_over(&nat_config, key->inside.protocol, peer,
                        *static_cast<std::uint64_t *>(now)))
    return 0;
  NatMapping *const mapping = nat_mapping_of(&nat_state, &key->inside, kAtOnce);
  if (mapping && mapping->begun == peer->begun)
    mapping->established -= nat_is_established(peer->flags) ? 1 : 0;
  return 1;
}

int is_not_given(const NfEndpoint *inside, const NatMapping *mapping, void *) {
  if (is_still_given(nat_config, *inside, mapping->outside))
    return 0;
  nat_release(&nat_state, &mapping->outside, kAtOnce);
  return 1;
}

int has_no_mapping(const NatPeerKey *key, const NatPeer *peer, void *) {
  const NatMapping *const mapping = nat_mapping_of(&nat_state, &key->inside, kAtOnce);
  return !mapping || mapping->begun != peer->begun;
}

int is_any(const NfFragmentKey *, const NfFragment *, void *) { return 1; }

void configure(const toml::table &table) { nat_take(nat_config_of(table)); }

void sweep(std::uint64_t now) { nat_sweep(now, slots_at_a_time); }

std::span<const std::byte> configuration() { return std::as_bytes(std::span(&nat_config, 1)); }

/// 2^16 hosts inside, each with its own server outside. An answer goes to the endpoint that its
/// flow is mapped to; if the flow is not mapped, to an endpoint without a mapping.
Frame frame(NfSide side, std::uint32_t flow) {
  const std::uint32_t server = 0xc6120000 + flow % kHostsOfExample;
  const NfEndpoint inside = {nf_swap32(0x0a000000 + flow % kHostsOfExample),
                             nf_swap16(static_cast<std::uint16_t>(40'000 + flow / kHostsOfExample)),
                             IPPROTO_UDP, 0};
  Frame one{.source = nf_swap32(inside.address),
            .destination = server,
            .source_port = nf_swap16(inside.port),
            .destination_port = 443};
  one.payload.resize(18);
  if (side == nf_internal)
    return one;
  const NatMapping *const mapping = nat_mapping_of(&nat_state, &inside, kAtOnce);
  const NfEndpoint outside =
      mapping ? mapping->outside : NfEndpoint{nat_config.addresses[0], inside.port, IPPROTO_UDP, 0};
  std::swap(one.source, one.destination);
  one.source_port = 443;
  one.destination = nf_swap32(outside.address);
  one.destination_port = nf_swap16(outside.port);
  return one;
}

std::string example() {
  std::ostringstream text;
  text << R"([nat]
inside = "10.0.0.0/8"
filtering = "endpoint-independent"
external_to = "02:00:00:00:00:01"
external_from = "02:00:00:00:00:02"
internal_to = "02:00:00:00:00:03"
internal_from = "02:00:00:00:00:04"
)";
  for (unsigned i = 1; i <= nat_most_addresses; ++i)
    text << "[[nat.address]]\naddress = \"192.0.2." << i << "\"\n";
  for (unsigned i = 0; i < kForwardsOfExample; ++i)
    text << "[[nat.forward]]\nprotocol = \"tcp\"\noutside_address = \"192.0.2.1\"\noutside_port = "
         << 2000 + i << "\ninside_address = \"10.1.0." << i + 1 << "\"\ninside_port = 443\n";
  return text.str();
}
const std::string example_text = example();

} // namespace

NatConfig nat_config_of(const toml::table &table) {
  Settings settings(table, "nat");
  NatConfig config{};
  const Network inside = settings.network("inside");
  config.network = nf_swap32(inside.address);
  config.mask = nf_swap32(inside.mask);
  config.by_address =
      settings.word("filtering", {"endpoint-independent", "address-dependent"}, 0) == 1;
  config.least_port = static_cast<std::uint16_t>(settings.number("first_port", {1, 0xffff}, 1024));
  config.most_port =
      static_cast<std::uint16_t>(settings.number("last_port", {config.least_port, 0xffff}, 0xffff));
  config.timers[nat_udp] = timer(settings, "udp_timeout", 120, 300);
  config.timers[nat_tcp_established] = timer(settings, "tcp_established_timeout", 7440, 7440);
  config.timers[nat_tcp_transitory] = timer(settings, "tcp_transitory_timeout", 240, 240);
  config.timers[nat_icmp] = timer(settings, "icmp_timeout", 60, 60);
  for (const auto &[side, name] : {std::pair{nf_external, "external"}, {nf_internal, "internal"}}) {
    std::ranges::copy(settings.mac(std::string(name) + "_to"), config.macs[side][0]);
    std::ranges::copy(settings.mac(std::string(name) + "_from"), config.macs[side][1]);
  }
  read_addresses(settings, config);
  read_forwards(settings, config);
  settings.finish();
  return config;
}

void nat_take(const NatConfig &config) {
  nat_config = config;
  if (!nat_state.inside.tags)
    return;
  std::uint32_t from = 0;
  nat_inside_sweep(&nat_state.inside, &from, nat_state.inside.mask + 1 + nf_window, is_not_given,
                   nullptr);
  from = 0;
  nat_peers_sweep(&nat_state.peers, &from, nat_state.peers.mask + 1 + nf_window, has_no_mapping,
                  nullptr);
  from = 0;
  nat_fragments_sweep(&nat_state.fragments, &from, nat_state.fragments.mask + 1 + nf_window, is_any,
                      nullptr);
}

void nat_forget(std::uint32_t flows) {
  make_anew(nat_state.inside, flows, nat_inside_make, nat_inside_free);
  make_anew(nat_state.outside, flows, nat_outside_make, nat_outside_free);
  make_anew(nat_state.peers, flows, nat_peers_make, nat_peers_free);
  make_anew(nat_state.fragments, flows, nat_fragments_make, nat_fragments_free);
  std::ranges::fill(nat_state.counts, 0);
  swept = {};
}

void nat_sweep(std::uint64_t now, std::uint32_t slots) {
  nat_inside_sweep(&nat_state.inside, &swept.inside, slots, is_mapping_over, &now);
  nat_peers_sweep(&nat_state.peers, &swept.peers, slots, is_peer_over, &now);
  nat_fragments_sweep(&nat_state.fragments, &swept.fragments, slots, is_fragment_over, &now);
}

const Function nat_function{.name = "nat",
                            .poll = nat_poll,
                            .configure = configure,
                            .forget = nat_forget,
                            .sweep = sweep,
                            .configuration = configuration,
                            .outcomes = kOutcomes,
                            .counts = nat_state.counts,
                            .frame = frame,
                            .example = example_text};

} // namespace nf
