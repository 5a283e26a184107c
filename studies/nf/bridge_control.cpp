// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bridge_control.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <sstream>

#include "bridge_state.h"
#include "control.h"
#include "parse.h"
#include "settings.h"

namespace nf {

namespace {

constexpr double kAgeing = 300; // IEEE 802.1D, table 7-5
constexpr Range kMtus = {68, 65'535};
constexpr std::uint32_t kTag = 4; ///< Of a VLAN tag, which is added to the frame size.
constexpr std::uint64_t kAllOfIt = 0xffff'ffff'ffff;
constexpr unsigned kExampleFilters = 32;
const std::vector<std::string_view> kSides = {"external", "internal"};

constexpr std::array<const char *, bridge_outcomes> kOutcomes = {
    "forwarded",  "flooded",   "group",  "filtered", "reserved", "discarded",
    "bad_source", "oversized", "broken", "learnt",   "moved",    "table_full"};

std::uint32_t swept = 0; ///< First slot of the next sweep.

void configure(const toml::table &table) { bridge_config = bridge_config_of(table); }

void forget(std::uint32_t flows) {
  make_anew(bridge_state.stations, 2 * flows, bridge_stations_make, bridge_stations_free);
  std::ranges::fill(bridge_state.counts, 0);
  swept = 0;
}

void sweep(std::uint64_t now) {
  bridge_stations_sweep(&bridge_state.stations, &swept, slots_at_a_time, bridge_station_is_over,
                        &now);
}

std::span<const std::byte> configuration() { return std::as_bytes(std::span(&bridge_config, 1)); }

Mac station(NfSide side, std::uint32_t flow) {
  return {2,
          static_cast<std::uint8_t>(side),
          static_cast<std::uint8_t>(flow >> 24U),
          static_cast<std::uint8_t>(flow >> 16U),
          static_cast<std::uint8_t>(flow >> 8U),
          static_cast<std::uint8_t>(flow)};
}

/// Each flow has two stations of its own.
Frame frame(NfSide side, std::uint32_t flow) {
  const NfSide other = side == nf_external ? nf_internal : nf_external;
  Frame one{.source = 0x0a000000 + 2 * flow + side,
            .destination = 0x0a000000 + 2 * flow + other,
            .source_port = 40'000,
            .destination_port = 443,
            .to = station(other, flow),
            .from = station(side, flow)};
  one.payload.resize(18);
  return one;
}

/// Blocks old protocols from outside, and outside stations that imitate an inside server.
std::string example() {
  std::ostringstream text;
  text << "[bridge]\nageing = 300\n";
  for (unsigned i = 0; i < kExampleFilters / 2; ++i) {
    const std::string mac = "\"0a:00:00:00:00:" + std::to_string(10 + i) + "\"\n";
    text << "[[bridge.station]]\nmac = " << mac << "side = \"internal\"\n"
         << "[[bridge.filter]]\nsource = " << mac << "side = \"external\"\naction = \"discard\"\n"
         << "[[bridge.filter]]\ntype = " << 0x6000 + i << "\naction = \"discard\"\n";
  }
  return text.str();
}
const std::string example_text = example();

std::uint64_t mask_of(Settings &filter, const std::string &part) {
  const std::string key = part + "_mask";
  if (!filter.has(part) && filter.has(key))
    filter.refuse(key, "there is no " + part + " that it is of");
  if (filter.has(key))
    return bridge_address(filter.mac(key));
  return filter.has(part) ? kAllOfIt : 0;
}

std::uint64_t address_of(Settings &filter, const std::string &part, std::uint64_t mask) {
  if (!filter.has(part))
    return 0;
  const std::uint64_t address = bridge_address(filter.mac(part));
  if (address & ~mask)
    filter.refuse(part, "has bits set beside its mask");
  return address;
}

BridgeFilter filter_of(Settings &settings) {
  BridgeFilter filter{};
  filter.source_mask = mask_of(settings, "source");
  filter.source = address_of(settings, "source", filter.source_mask);
  filter.destination_mask = mask_of(settings, "destination");
  filter.destination = address_of(settings, "destination", filter.destination_mask);
  if (settings.has("type")) {
    filter.type = nf_swap16(static_cast<std::uint16_t>(settings.number("type", {0x600, 0xffff})));
    filter.type_mask = 0xffff;
  }
  filter.sides = settings.has("side")
                     ? static_cast<std::uint16_t>(1U << settings.word("side", kSides))
                     : std::uint16_t{3};
  filter.discards = settings.word("action", {"forward", "discard"}) == 1;
  settings.finish();
  return filter;
}

BridgeStatic station_of(Settings &settings, std::span<const BridgeStatic> others) {
  const std::uint64_t address = bridge_address(settings.mac("mac"));
  if (address == 0 || address & 1U)
    settings.refuse("mac", "is not that of a station");
  if (std::ranges::find(others, address, &BridgeStatic::address) != others.end())
    settings.refuse("mac", "has been named before");
  const auto side = static_cast<std::uint32_t>(settings.word("side", kSides));
  settings.finish();
  return {address, side, 0};
}

} // namespace

int bridge_station_is_over(const BridgeKey *, const BridgeStation *station, void *now) {
  return *static_cast<const std::uint64_t *>(now) - station->seen > bridge_config.ageing;
}

std::uint64_t bridge_address(const Mac &mac) {
  std::uint64_t address = 0;
  std::memcpy(&address, mac.data(), mac.size());
  return address;
}

BridgeConfig bridge_config_of(const toml::table &table) {
  Settings settings(table, "bridge");
  BridgeConfig config{};
  config.ageing = settings.nanoseconds("ageing", kAgeing);
  config.most_bytes =
      static_cast<std::uint32_t>(settings.number("mtu", kMtus, ETH_DATA_LEN)) + ETH_HLEN + kTag;
  for (Settings &one : settings.list("station", bridge_most_stations)) {
    const std::span others = std::span(config.stations).first(config.station_count);
    config.stations[config.station_count++] = station_of(one, others);
  }
  for (Settings &one : settings.list("filter", bridge_most_filters))
    config.filters[config.filter_count++] = filter_of(one);
  settings.finish();
  return config;
}

const Function bridge_function{.name = "bridge",
                               .poll = bridge_poll,
                               .configure = configure,
                               .forget = forget,
                               .sweep = sweep,
                               .configuration = configuration,
                               .outcomes = kOutcomes,
                               .counts = bridge_state.counts,
                               .frame = frame,
                               .example = example_text};

} // namespace nf
