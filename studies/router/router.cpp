// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "router.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "ipv4.h"

namespace router {

namespace {

constexpr std::uint32_t local_adjacency = no_adjacency + 1;
/// Minimum interval between requests for a MAC (RFC 1122, 2.3.2.1).
constexpr std::chrono::seconds between_questions{1};
/// Limits the memory that packets to unresponsive addresses can use.
constexpr std::size_t most_neighbours = 65'536;

} // namespace

Router::Router(std::vector<Port> ports) : ports_(std::move(ports)) {
  if (ports_.empty() || ports_.size() > max_ports)
    throw BadRoutes("a router has 1 to " + std::to_string(max_ports) + " ports, not " +
                    std::to_string(ports_.size()));
  for (std::size_t i = 0; i < ports_.size(); ++i)
    tables_.own_macs[i] = number_of(ports_[i].mac);
  set_routes({});
}

void Router::set_routes(const std::vector<RouteLine> &lines) {
  std::vector<Adjacency> adjacencies{{{}, 0, Outcome::no_route}, {{}, 0, Outcome::local}};
  std::vector<std::uint32_t> gateways(adjacencies.size(), 0);
  std::multimap<unsigned, Route, std::greater<>> routes; // longest prefix first
  const auto add_route = [&](Network network, std::uint32_t adjacency) {
    const std::uint32_t mask = mask_of(network.length);
    routes.emplace(network.length, Route{network.prefix & mask, mask, adjacency});
  };
  const auto add_adjacency = [&](std::uint16_t port, std::uint32_t gateway, Outcome outcome) {
    adjacencies.push_back({{}, port, outcome});
    gateways.push_back(gateway);
    return static_cast<std::uint32_t>(adjacencies.size() - 1);
  };

  const auto ports = static_cast<std::uint16_t>(ports_.size());
  for (std::uint16_t i = 0; i < ports; ++i) {
    add_route({ports_[i].address, 32}, local_adjacency);
    add_route({ports_[i].address, ports_[i].length}, add_adjacency(i, 0, Outcome::connected));
  }
  std::map<std::uint32_t, std::uint32_t> by_gateway;
  for (const auto &[network, gateway] : lines) {
    const auto port = std::find_if(ports_.begin(), ports_.end(), [&](const Port &candidate) {
      return candidate.reaches(gateway);
    });
    if (port == ports_.end() || port->address == gateway)
      throw BadRoutes("the gateway " + text_of(gateway) +
                      (port == ports_.end() ? " is in no connected network" : " is this router"));
    const auto [entry, is_new] = by_gateway.emplace(gateway, 0);
    if (is_new)
      entry->second = add_adjacency(static_cast<std::uint16_t>(port - ports_.begin()), gateway,
                                    Outcome::unresolved);
    add_route(network, entry->second);
  }

  before_change_();
  ++tables_.generation; // before any change of data that lookup() reads
  routes_.clear();
  for (const auto &[length, route] : routes)
    routes_.push_back(route);
  adjacencies_ = std::move(adjacencies);
  gateways_ = std::move(gateways);
  tables_.routes = routes_.data();
  tables_.route_count = static_cast<std::uint32_t>(routes_.size());
  tables_.adjacencies = adjacencies_.data();
  for (const auto &[name, neighbour] : neighbours_)
    if (neighbour.resolved)
      learn(static_cast<std::uint16_t>(name >> 32), static_cast<std::uint32_t>(name),
            neighbour.mac);
  after_change_();
}

bool Router::finish(Frame &frame, Time now) {
  bool send = false;
  switch (frame.outcome) {
  case Outcome::arp:
    send = finish_arp(frame);
    break;
  case Outcome::connected:
    send = finish_connected(frame, now);
    break;
  case Outcome::unresolved: {
    const std::uint32_t next = lookup(&tables_, load32(frame.data + at::destination));
    send = ask(frame, adjacencies_[next].port, gateways_[next], now);
    break;
  }
  default:
    break;
  }
  if (frame.outcome != Outcome::forwarded)
    counters_.add(frame.outcome);
  return send;
}

bool Router::finish_arp(Frame &frame) {
  const Port &port = ports_[frame.port];
  const std::uint64_t to = load<std::uint64_t>(frame.data) & mac_bits;
  if (to != number_of(port.mac) && to != number_of(broadcast)) {
    frame.outcome = Outcome::other_host;
    return false;
  }
  const std::optional<Arp> arp = read_arp(frame.data, frame.size);
  if (!arp) {
    frame.outcome = Outcome::bad_arp;
    return false;
  }
  // Stores only senders that address this router, or whose MAC it has requested.
  if (port.reaches(arp->sender) && arp->sender != port.address &&
      (arp->target == port.address || neighbours_.contains(key(frame.port, arp->sender))))
    learn(frame.port, arp->sender, arp->sender_mac);
  if (arp->operation != ArpOperation::request || arp->target != port.address)
    return false;
  write_arp(frame.data, {.operation = ArpOperation::reply,
                         .sender_mac = port.mac,
                         .sender = port.address,
                         .target_mac = arp->sender_mac,
                         .target = arp->sender});
  frame.size = arp_frame_size;
  return true;
}

bool Router::finish_connected(Frame &frame, Time now) {
  const std::uint32_t destination = load32(frame.data + at::destination);
  const std::uint16_t port = adjacencies_[lookup(&tables_, destination)].port;
  const auto neighbour = neighbours_.find(key(port, destination));
  if (neighbour == neighbours_.end() || !neighbour->second.resolved)
    return ask(frame, port, destination, now);
  frame.outcome = pass_on(frame.data, link_to(port, neighbour->second.mac));
  frame.port = port;
  return frame.outcome == Outcome::forwarded;
}

bool Router::ask(Frame &frame, std::uint16_t port, std::uint32_t address, Time now) {
  frame.outcome = Outcome::unresolved;
  const std::uint64_t name = key(port, address);
  const auto known = neighbours_.find(name);
  if (known == neighbours_.end() ? neighbours_.size() >= most_neighbours
                                 : now - known->second.asked < between_questions)
    return false;
  neighbours_[name].asked = now;
  write_arp(frame.data, {.operation = ArpOperation::request,
                         .sender_mac = ports_[port].mac,
                         .sender = ports_[port].address,
                         .target_mac = {},
                         .target = address});
  frame.size = arp_frame_size;
  frame.port = port;
  return true;
}

void Router::learn(std::uint16_t port, std::uint32_t address, const Mac &mac) {
  const std::uint64_t name = key(port, address);
  if (neighbours_.size() >= most_neighbours && !neighbours_.contains(name))
    return;
  Neighbour &neighbour = neighbours_[name];
  neighbour.resolved = true;
  neighbour.mac = mac;
  for (std::size_t i = 0; i < adjacencies_.size(); ++i)
    if (gateways_[i] == address && adjacencies_[i].port == port) {
      adjacencies_[i].link = link_to(port, mac);
      adjacencies_[i].outcome = Outcome::forwarded;
    }
}

std::array<std::uint8_t, 12> Router::link_to(std::uint16_t port, const Mac &mac) const {
  std::array<std::uint8_t, 12> link;
  std::copy(mac.begin(), mac.end(), link.begin());
  std::copy(ports_[port].mac.begin(), ports_[port].mac.end(), link.begin() + mac.size());
  return link;
}

std::uint64_t Router::key(std::uint16_t port, std::uint32_t address) {
  return std::uint64_t{port} << 32 | address;
}

} // namespace router
