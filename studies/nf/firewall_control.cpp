// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "firewall_control.h"

#include <array>
#include <sstream>
#include <string>
#include <utility>

#include "control.h"
#include "firewall_flow.h"
#include "settings.h"

namespace nf {

namespace {

constexpr std::uint32_t kHostsOfExample = 65'536;
constexpr unsigned kRulesOfExample = 64;

constexpr std::array<const char *, firewall_outcomes> kOutcomes = {
    "begun",     "known",      "known_fragment", "related", "arp",   "denied", "not_begun",
    "unrelated", "table_full", "fragment",       "icmp",    "other", "broken"};

struct Cursors {
  std::uint32_t flows;
  std::uint32_t fragments;
};
Cursors swept{}; ///< First slots of the next sweep.

Network network_or_any(Settings &settings, std::string_view key) {
  return settings.has(key) ? settings.network(key) : Network{0, 0};
}

void read_ports(Settings &settings, FirewallRule &rule) {
  rule.last_port = 0xffff;
  if (!settings.has("first_port") && settings.has("last_port"))
    settings.refuse("last_port", "needs a first_port");
  if (!settings.has("first_port"))
    return;
  if (rule.protocol != IPPROTO_TCP && rule.protocol != IPPROTO_UDP)
    settings.refuse("first_port", "needs a protocol of \"tcp\" or \"udp\"");
  rule.first_port = static_cast<std::uint16_t>(settings.number("first_port", {0, 0xffff}));
  rule.last_port = static_cast<std::uint16_t>(
      settings.number("last_port", {rule.first_port, 0xffff}, rule.first_port));
}

FirewallRule rule_of(Settings &settings) {
  constexpr std::array<std::uint8_t, 4> protocols = {0, IPPROTO_TCP, IPPROTO_UDP, IPPROTO_ICMP};
  FirewallRule rule{};
  rule.side = settings.word("from", {"external", "internal"}) == 0 ? nf_external : nf_internal;
  const Network source = network_or_any(settings, "source");
  const Network destination = network_or_any(settings, "destination");
  rule.source = nf_swap32(source.address);
  rule.source_mask = nf_swap32(source.mask);
  rule.destination = nf_swap32(destination.address);
  rule.destination_mask = nf_swap32(destination.mask);
  rule.protocol = protocols.at(settings.word("protocol", {"any", "tcp", "udp", "icmp"}, 0));
  read_ports(settings, rule);
  rule.allows = settings.word("action", {"deny", "allow"}) == 1;
  settings.finish();
  return rule;
}

int is_over(const FirewallKey *key, const FirewallFlow *flow, void *now) {
  return firewall_is_over(&firewall_config, key->protocol, flow,
                          *static_cast<std::uint64_t *>(now));
}

int may_not_begin(const FirewallKey *key, const FirewallFlow *flow, void *) {
  return !firewall_may_begin(&firewall_config, key, flow->opener);
}

void configure(const toml::table &table) { firewall_take(firewall_config_of(table)); }

void sweep(std::uint64_t now) { firewall_sweep(now, slots_at_a_time); }

std::span<const std::byte> configuration() { return std::as_bytes(std::span(&firewall_config, 1)); }

/// 2^16 hosts inside, each with its own server outside.
Frame frame(NfSide side, std::uint32_t flow) {
  Frame one{.source = 0x0a000000 + flow % kHostsOfExample,
            .destination = 0xc6120000 + flow % kHostsOfExample,
            .source_port = static_cast<std::uint16_t>(40'000 + flow / kHostsOfExample),
            .destination_port = 443};
  one.payload.resize(18);
  if (side == nf_external) {
    std::swap(one.source, one.destination);
    std::swap(one.source_port, one.destination_port);
  }
  return one;
}

std::string example() {
  std::ostringstream text;
  text << "[firewall]\n";
  for (unsigned i = 0; i < kRulesOfExample; ++i)
    text << "[[firewall.rule]]\nfrom = \"" << (i % 2 ? "internal" : "external")
         << "\"\ndestination = \"192.168." << i
         << ".0/24\"\nprotocol = \"tcp\"\nfirst_port = " << 8000 + i << "\naction = \""
         << (i % 2 ? "deny" : "allow") << "\"\n";
  return text.str();
}
const std::string example_text = example();

} // namespace

FirewallConfig firewall_config_of(const toml::table &table) {
  Settings settings(table, "firewall");
  FirewallConfig config{};
  config.timers[firewall_tcp][firewall_new] = settings.nanoseconds("tcp_new_timeout", 120);
  config.timers[firewall_tcp][firewall_established] =
      settings.nanoseconds("tcp_established_timeout", 7440);
  config.timers[firewall_tcp][firewall_closing] = settings.nanoseconds("tcp_closing_timeout", 240);
  config.timers[firewall_udp][firewall_new] = settings.nanoseconds("udp_new_timeout", 30);
  config.timers[firewall_udp][firewall_established] =
      settings.nanoseconds("udp_established_timeout", 300);
  config.timers[firewall_rest][firewall_new] = settings.nanoseconds("other_new_timeout", 30);
  config.timers[firewall_rest][firewall_established] =
      settings.nanoseconds("other_established_timeout", 60);
  for (Settings &one : settings.list("rule", firewall_most_rules))
    config.rules[config.count++] = rule_of(one);
  settings.finish();
  return config;
}

void firewall_take(const FirewallConfig &config) {
  firewall_config = config;
  if (!firewall_state.flows.tags)
    return;
  std::uint32_t from = 0;
  firewall_flows_sweep(&firewall_state.flows, &from, firewall_state.flows.mask + 1 + nf_window,
                       may_not_begin, nullptr);
}

void firewall_forget(std::uint32_t flows) {
  make_anew(firewall_state.flows, flows, firewall_flows_make, firewall_flows_free);
  make_anew(firewall_state.fragments, flows, firewall_fragments_make, firewall_fragments_free);
  std::ranges::fill(firewall_state.counts, 0);
  swept = {};
}

void firewall_sweep(std::uint64_t now, std::uint32_t slots) {
  firewall_flows_sweep(&firewall_state.flows, &swept.flows, slots, is_over, &now);
  firewall_fragments_sweep(&firewall_state.fragments, &swept.fragments, slots, is_fragment_over,
                           &now);
}

const Function firewall_function{.name = "firewall",
                                 .poll = firewall_poll,
                                 .configure = configure,
                                 .forget = firewall_forget,
                                 .sweep = sweep,
                                 .configuration = configuration,
                                 .outcomes = kOutcomes,
                                 .counts = firewall_state.counts,
                                 .frame = frame,
                                 .example = example_text};

} // namespace nf
