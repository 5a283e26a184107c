// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "balancer_control.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "balancer_key.h"
#include "balancer_state.h"
#include "control.h"
#include "maglev.h"
#include "settings.h"

namespace nf {

namespace {

constexpr Range kPorts = {1, 0xffff};
constexpr unsigned kExampleVips = 16;
constexpr unsigned kExampleBackEnds = 4; ///< For each VIP.
constexpr std::uint32_t kExampleAddress = 0xc0000201;
constexpr std::uint16_t kExamplePort = 80;

constexpr std::array<const char *, balancer_outcomes> kOutcomes = {
    "forwarded", "begun",    "moved",      "untracked",   "fragment",      "error",     "replied",
    "passed",    "for_host", "no_service", "no_back_end", "lost_fragment", "bad_error", "broken"};

std::uint32_t swept = 0;           ///< First slot of the next sweep.
std::vector<std::uint16_t> lookup; ///< The memory that the state points to.

void configure(const toml::table &table) {
  balancer_take(balancer_config_of(table, balancer_config));
}

void forget(std::uint32_t flows) {
  make_anew(balancer_state.flows, flows, balancer_flows_make, balancer_flows_free);
  std::ranges::fill(balancer_state.counts, 0);
  swept = 0;
}

void sweep(std::uint64_t now) {
  balancer_flows_sweep(&balancer_state.flows, &swept, slots_at_a_time, balancer_flow_is_over, &now);
}

std::span<const std::byte> configuration() { return std::as_bytes(std::span(&balancer_config, 1)); }

/// A packet from a client to one of the example's VIPs; a packet from inside is the answer of the
/// back end that hashing chooses.
Frame frame(NfSide side, std::uint32_t flow) {
  const std::uint32_t number = flow % kExampleVips;
  Frame one{.source = 0xc6120000 + flow / kExampleVips,
            .destination = kExampleAddress + number,
            .protocol = IPPROTO_TCP,
            .source_port = 40'000,
            .destination_port = kExamplePort};
  if (side == nf_external)
    return one;
  const BalancerKey key = {nf_swap32(one.source),
                           nf_swap32(one.destination),
                           nf_swap16(one.source_port),
                           nf_swap16(one.destination_port),
                           IPPROTO_TCP,
                           0,
                           0};
  const std::uint16_t chosen =
      lookup.at(number * balancer_config.lookup_size + balancer_entry(&balancer_config, &key));
  const BalancerBackEnd &back_end = balancer_config.back_ends[chosen % balancer_most_back_ends];
  std::swap(one.source, one.destination);
  std::swap(one.source_port, one.destination_port);
  one.source = nf_swap32(back_end.address);
  one.source_port = nf_swap16(back_end.port);
  return one;
}

std::string example() {
  std::ostringstream text;
  text << "[balancer]\nlookup_size = 65537\n";
  for (unsigned vip = 0; vip < kExampleVips; ++vip) {
    text << "[[balancer.vip]]\naddress = \"192.0.2." << 1 + vip << "\"\nport = " << kExamplePort
         << "\nprotocol = \"tcp\"\nmode = \"translate\"\n";
    for (unsigned one = 0; one < kExampleBackEnds; ++one)
      text << "[[balancer.vip.back_end]]\naddress = \"10.0." << vip << '.' << 1 + one
           << "\"\nport = 8080\nmac = \"02:00:00:00:" << 10 + vip << ':' << 10 + one << "\"\n";
  }
  return text.str();
}
const std::string example_text = example();

bool is_prime(std::uint64_t number) {
  for (std::uint64_t factor = 2; factor * factor <= number; ++factor)
    if (number % factor == 0)
      return false;
  return number > 1;
}

/// Returns whether two entries are the same back end of the same service.
bool is_same(const BalancerConfig &one_config, const BalancerBackEnd &one,
             const BalancerConfig &other_config, const BalancerBackEnd &other) {
  const BalancerVip &vip = one_config.vips[one.vip];
  const BalancerVip &other_vip = other_config.vips[other.vip];
  return one.address == other.address && one.port == other.port &&
         vip.address == other_vip.address && vip.port == other_vip.port &&
         vip.protocol == other_vip.protocol;
}

/// Reads a table; the back ends' indices are assigned afterwards.
class Reader {
public:
  Reader(const toml::table &table, const BalancerConfig &before)
      : settings_(table, "balancer"), before_(before) {}

  BalancerConfig read() {
    config_.last_generation = before_.last_generation;
    config_.lookup_size = static_cast<std::uint32_t>(
        settings_.number("lookup_size", {2, balancer_most_lookup}, balancer_most_lookup));
    if (!is_prime(config_.lookup_size))
      settings_.refuse("lookup_size", "must be a prime, such as 251 or 65537");
    config_.tcp_timeout = settings_.nanoseconds("tcp_timeout", 300);
    config_.udp_timeout = settings_.nanoseconds("udp_timeout", 60);
    config_.fragment_timeout = settings_.nanoseconds("fragment_timeout", 30);
    for (Settings &one : settings_.list("vip", balancer_most_vips))
      add_vip(one);
    settings_.finish();
    place();
    return config_;
  }

private:
  void add_vip(Settings &settings) {
    const BalancerVip vip = {
        .address = nf_swap32(settings.address("address")),
        .port = nf_swap16(static_cast<std::uint16_t>(settings.number("port", kPorts))),
        .protocol = settings.word("protocol", {"tcp", "udp"}) == 0 ? std::uint8_t{IPPROTO_TCP}
                                                                   : std::uint8_t{IPPROTO_UDP},
        .zero = 0,
        .translates = settings.word("mode", {"direct", "translate"}) == 1};
    for (const BalancerVip &other : std::span(config_.vips).first(config_.vip_count))
      if (other.address == vip.address && other.port == vip.port && other.protocol == vip.protocol)
        settings.refuse("address", "has been named before, with this port and protocol");
    config_.vips[config_.vip_count] = vip;
    std::vector<Settings> back_ends = settings.list("back_end", balancer_most_back_ends);
    if (named_.size() + back_ends.size() > balancer_most_back_ends)
      settings.refuse("back_end",
                      "there are more than " + std::to_string(balancer_most_back_ends) + " in all");
    if (back_ends.size() > config_.lookup_size)
      settings.refuse("back_end", "there are more than the lookup table has entries");
    for (Settings &one : back_ends)
      add_back_end(one, vip);
    settings.finish();
    ++config_.vip_count;
  }

  void add_back_end(Settings &settings, const BalancerVip &vip) {
    BalancerBackEnd one{};
    one.address = nf_swap32(settings.address("address"));
    one.port = vip.port;
    one.answers = vip.translates ? vip.protocol : std::uint8_t{0};
    one.vip = static_cast<std::uint8_t>(config_.vip_count);
    if (vip.translates && settings.has("port"))
      one.port = nf_swap16(static_cast<std::uint16_t>(settings.number("port", kPorts)));
    std::ranges::copy(settings.mac("mac"), one.mac);
    one.health =
        static_cast<std::uint8_t>(settings.word("health", {"down", "draining", "up"}, balancer_up));
    for (const BalancerBackEnd &other : named_)
      if (is_in_the_way(one, other))
        settings.refuse("address", "has been named before, with this port and protocol");
    settings.finish();
    named_.push_back(one);
  }

  /// A back end that is reached by its own address can answer for one service only.
  [[nodiscard]] bool is_in_the_way(const BalancerBackEnd &one, const BalancerBackEnd &other) const {
    const BalancerVip &vip = config_.vips[one.vip];
    const BalancerVip &other_vip = config_.vips[other.vip];
    return one.address == other.address && one.port == other.port &&
           (one.vip == other.vip ||
            (vip.translates && other_vip.translates && vip.protocol == other_vip.protocol));
  }

  void put(std::size_t at, const BalancerBackEnd &one) {
    config_.back_ends[at] = one;
    config_.back_end_count = std::max(config_.back_end_count, static_cast<std::uint32_t>(at) + 1);
  }

  /// Assigns indices: existing back ends keep theirs; new ones get free indices.
  void place() {
    std::vector<BalancerBackEnd> others;
    for (BalancerBackEnd &one : named_) {
      const auto was = std::ranges::find_if(before_.back_ends, [&](const BalancerBackEnd &other) {
        return other.generation != 0 && is_same(config_, one, before_, other);
      });
      if (was == std::end(before_.back_ends)) {
        others.push_back(one);
        continue;
      }
      one.generation = was->generation;
      put(static_cast<std::size_t>(was - before_.back_ends), one);
    }
    for (BalancerBackEnd &one : others) {
      one.generation = ++config_.last_generation;
      const auto free = std::ranges::find(config_.back_ends, 0U, &BalancerBackEnd::generation);
      put(static_cast<std::size_t>(free - config_.back_ends), one);
    }
  }

  Settings settings_;
  const BalancerConfig &before_;
  BalancerConfig config_{};
  std::vector<BalancerBackEnd> named_;
};

} // namespace

int balancer_flow_is_over(const BalancerKey *key, const BalancerFlow *flow, void *now) {
  return balancer_is_over(&balancer_config, key, flow, *static_cast<const std::uint64_t *>(now));
}

BalancerConfig balancer_config_of(const toml::table &table, const BalancerConfig &before) {
  return Reader(table, before).read();
}

std::vector<std::uint16_t> balancer_lookup_of(const BalancerConfig &config) {
  std::vector<std::uint16_t> all;
  for (std::uint32_t vip = 0; vip < config.vip_count; ++vip) {
    std::vector<MaglevEntry> entries;
    for (std::uint32_t i = 0; i < config.back_end_count; ++i)
      if (const BalancerBackEnd &one = config.back_ends[i];
          one.generation != 0 && one.vip == vip && one.health == balancer_up)
        entries.push_back(
            {std::uint64_t{one.address} << 16U | one.port, static_cast<std::uint16_t>(i)});
    // All balancers let the back ends choose in the same order, whatever their indices are.
    std::ranges::sort(entries, {}, &MaglevEntry::name);
    const auto table = maglev_table(entries, config.lookup_size, balancer_nobody);
    all.insert(all.end(), table.begin(), table.end());
  }
  return all;
}

void balancer_take(const BalancerConfig &config) {
  lookup = balancer_lookup_of(config);
  balancer_state.lookup = lookup.data();
  balancer_config = config;
}

const Function balancer_function{.name = "balancer",
                                 .poll = balancer_poll,
                                 .configure = configure,
                                 .forget = forget,
                                 .sweep = sweep,
                                 .configuration = configuration,
                                 .outcomes = kOutcomes,
                                 .counts = balancer_state.counts,
                                 .frame = frame,
                                 .example = example_text};

} // namespace nf
