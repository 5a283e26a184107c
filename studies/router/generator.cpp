// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "generator.h"

#include <algorithm>
#include <random>
#include <set>
#include <utility>

#include <poll.h>

namespace router {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t batch = 64; ///< Far fewer than fit into any queue on the path.
constexpr auto patience = 20s;    ///< Generous, for a busy machine.
constexpr std::uint32_t magic = 0x53a2'7012;

std::size_t index(Outcome outcome) { return static_cast<std::size_t>(outcome); }

/// The MAC of the simulated host or gateway with an address.
Mac mac_of_host(std::uint32_t address) {
  Mac mac{2, 7};
  store32(mac.data() + 2, address);
  return mac;
}

bool in(const Network &network, std::uint32_t address) {
  return ((network.prefix ^ address) & mask_of(network.length)) == 0;
}

/// Reasons for which a router drops otherwise valid packets.
constexpr Outcome flaws[] = {
    Outcome::other_host,       Outcome::unknown_protocol,  Outcome::truncated,
    Outcome::bad_version,      Outcome::bad_header_length, Outcome::bad_header_checksum,
    Outcome::bad_total_length, Outcome::bad_options,       Outcome::source_route,
    Outcome::bad_address,      Outcome::bad_arp,           Outcome::local,
    Outcome::ttl_expired};

} // namespace

Generator::Generator(std::vector<Side> sides, std::vector<RouteLine> routes)
    : sides_(std::move(sides)), routes_(std::move(routes)) {}

const RouteLine *Generator::best_route(std::uint32_t destination) const {
  const RouteLine *best = nullptr;
  for (const RouteLine &route : routes_)
    if (in(route.network, destination) && (!best || route.network.length > best->network.length))
      best = &route;
  return best;
}

Packet Generator::packet_to(std::uint32_t destination) {
  const std::uint32_t number = next_number_++;
  Packet packet{.to = sides_[0].router_mac,
                .from = sides_[0].link.mac(),
                .source = sides_[0].network.prefix + 1,
                .destination = destination,
                .ttl = static_cast<std::uint8_t>(2 + number % 254),
                .payload = std::vector<std::uint8_t>(std::size_t{8} + number % 1400)};
  if (number % 16 == 0) // sometimes with options: a router alert, and padding (RFC 2113)
    packet.options = {148, 4, 0, 0, 1, 1, 0, 0};
  for (std::size_t i = 8; i < packet.payload.size(); ++i)
    packet.payload[i] = static_cast<std::uint8_t>(std::size_t{number} * 31 + i);
  store32(packet.payload.data(), magic);
  store32(packet.payload.data() + 4, number);
  return packet;
}

void Generator::send_packet(const Packet &packet) {
  const std::vector<std::uint8_t> frame = frame_of(packet);
  const auto connected = std::find_if(sides_.begin(), sides_.end(), [&](const Side &side) {
    return in(side.network, packet.destination);
  });
  const RouteLine *const route = best_route(packet.destination);
  if (connected == sides_.end() && !route) {
    ++account_.sent[index(Outcome::no_route)];
  } else {
    const std::uint32_t next = connected != sides_.end() ? packet.destination : route->gateway;
    const auto side = std::find_if(sides_.begin(), sides_.end(),
                                   [&](const Side &one) { return in(one.network, next); });
    std::vector<std::uint8_t> expected = frame;
    const Mac mac = mac_of_host(next);
    std::copy(mac.begin(), mac.end(), expected.begin());
    std::copy(side->router_mac.begin(), side->router_mac.end(),
              expected.begin() + at::ether_source);
    --expected[at::ttl];
    write_checksum(expected.data());
    in_flight_.emplace(
        load32(packet.payload.data() + 4),
        Expected{static_cast<std::size_t>(side - sides_.begin()), std::move(expected)});
    ++account_.sent[index(Outcome::forwarded)];
  }
  sides_[0].link.send(frame);
}

void Generator::send_broken(Packet packet, Outcome outcome) {
  switch (outcome) {
  case Outcome::other_host:
    packet.to = {2, 0, 0, 0, 0, 0};
    break;
  case Outcome::bad_options:
    packet.options = {7, 0, 0, 0};
    break;
  case Outcome::source_route:
    packet.options = {131, 3, 4, 0};
    break;
  case Outcome::bad_address:
    packet.destination |= 0xe000'0000;
    break;
  case Outcome::local:
    packet.destination = sides_.back().network.prefix;
    break;
  case Outcome::ttl_expired:
    packet.ttl = 1;
    break;
  default:
    break;
  }
  std::vector<std::uint8_t> frame = frame_of(packet);
  switch (outcome) {
  case Outcome::unknown_protocol:
    store16(frame.data() + at::ether_type, 0x86dd);
    break;
  case Outcome::bad_arp:
    store16(frame.data() + at::ether_type, type_arp);
    break;
  case Outcome::truncated:
    frame.resize(at::payload + ipv4_header_size - 4);
    break;
  case Outcome::bad_version:
    frame[at::version_and_length] ^= 0x20;
    break;
  case Outcome::bad_header_length:
    frame[at::version_and_length] = 0x44;
    break;
  case Outcome::bad_header_checksum:
    frame[at::checksum] ^= 1;
    break;
  case Outcome::bad_total_length:
    store16(frame.data() + at::total_length, static_cast<std::uint16_t>(frame.size()));
    write_checksum(frame.data());
    break;
  default:
    break;
  }
  ++account_.sent[index(outcome)];
  sides_[0].link.send(frame);
}

void Generator::send_arp(std::size_t side, const Arp &arp) {
  std::array<std::uint8_t, arp_frame_size> frame;
  write_arp(frame.data(), arp);
  ++account_.sent[index(Outcome::arp)];
  sides_[side].link.send(frame);
}

bool Generator::resolve() {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (std::size_t i = 0; i < sides_.size(); ++i)
    while (sides_[i].router_mac == broadcast) {
      if (std::chrono::steady_clock::now() > deadline)
        return false;
      send_arp(i, {.operation = ArpOperation::request,
                   .sender_mac = sides_[i].link.mac(),
                   .sender = sides_[i].network.prefix + 1,
                   .target_mac = {},
                   .target = sides_[i].network.prefix});
      wait(200ms);
    }

  std::set<std::uint32_t> gateways;
  std::vector<std::uint32_t> hosts{sides_.back().network.prefix + 77}; // on a connected network
  for (const RouteLine &route : routes_)
    if (gateways.insert(route.gateway).second)
      for (std::uint32_t host = route.network.prefix | 1; hosts.size() < gateways.size() + 1;
           ++host)
        if (const RouteLine *best = best_route(host); best && best->gateway == route.gateway)
          hosts.push_back(host);
  for (const std::uint32_t host : hosts)
    while (true) {
      if (std::chrono::steady_clock::now() > deadline)
        return false;
      send_packet(packet_to(host));
      if (wait(100ms))
        break;
      // Dropped while the router resolved the MAC; or late, which is handled below.
      ++account_.sent[index(Outcome::unresolved)];
      --account_.sent[index(Outcome::forwarded)];
      unresolved_.merge(in_flight_);
      in_flight_.clear();
    }
  return true;
}

bool Generator::send(std::span<const std::uint32_t> destinations, double broken_share,
                     std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::bernoulli_distribution broken(broken_share);
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    const bool last = i + 1 == destinations.size() || (i + 1) % batch == 0;
    // The last frame of a batch is valid: its return shows that the others are no longer in flight.
    if (!last && broken(random))
      send_broken(packet_to(destinations[i]), flaws[random() % std::size(flaws)]);
    else
      send_packet(packet_to(destinations[i]));
    if (last && !wait(patience))
      return false;
  }
  return true;
}

bool Generator::wait(std::chrono::milliseconds time) {
  const auto deadline = std::chrono::steady_clock::now() + time;
  std::vector<pollfd> descriptors;
  for (const Side &side : sides_)
    descriptors.push_back({side.link.descriptor(), POLLIN, 0});
  const auto unknown = [&] {
    return std::any_of(sides_.begin(), sides_.end(),
                       [](const Side &side) { return side.router_mac == broadcast; });
  };
  while (!in_flight_.empty() || unknown()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left <= 0ms)
      return false;
    poll(descriptors.data(), descriptors.size(), static_cast<int>(left.count()));
    for (std::size_t i = 0; i < sides_.size(); ++i)
      for (auto frame = sides_[i].link.receive(); !frame.empty(); frame = sides_[i].link.receive())
        receive(i, frame);
  }
  return true;
}

void Generator::receive(std::size_t side, std::span<const std::uint8_t> frame) {
  if (const std::optional<Arp> arp = read_arp(frame.data(), frame.size()))
    receive_arp(side, *arp);
  else
    receive_packet(side, frame);
}

void Generator::receive_arp(std::size_t side, const Arp &arp) {
  Side &here = sides_[side];
  if (arp.sender != here.network.prefix) {
    ++account_.stray;
  } else if (arp.operation == ArpOperation::reply) {
    here.router_mac = arp.sender_mac;
  } else if (in(here.network, arp.target)) {
    send_arp(side, {.operation = ArpOperation::reply,
                    .sender_mac = mac_of_host(arp.target),
                    .sender = arp.target,
                    .target_mac = arp.sender_mac,
                    .target = arp.sender});
  } else {
    ++account_.stray;
  }
}

void Generator::receive_packet(std::size_t side, std::span<const std::uint8_t> frame) {
  const std::size_t header =
      frame.size() > at::payload ? (frame[at::version_and_length] & 0xfU) * 4U : 0;
  const std::size_t payload = at::payload + header;
  if (header < ipv4_header_size || frame.size() < payload + 8 ||
      load32(frame.data() + payload) != magic) {
    ++account_.stray;
    return;
  }
  const std::uint32_t number = load32(frame.data() + payload + 4);
  auto found = in_flight_.extract(number);
  if (found.empty()) {
    found = unresolved_.extract(number);
    if (found.empty()) { // a duplicate, or corrupted
      ++account_.stray;
      return;
    }
    --account_.sent[index(Outcome::unresolved)];
    ++account_.sent[index(Outcome::forwarded)];
  }
  const Expected &expected = found.mapped();
  const bool right =
      side == expected.side &&
      std::equal(frame.begin(), frame.end(), expected.frame.begin(), expected.frame.end());
  ++(right ? account_.right : account_.wrong);
}

} // namespace router
