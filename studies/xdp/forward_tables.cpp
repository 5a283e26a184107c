// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "forward_tables.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include <arpa/inet.h>
#include <net/if.h>

#include "plan.h"

namespace xdp {

namespace {

void read_hop(std::istringstream &words, ForwardPlan &plan) {
  const std::uint32_t number = next_number(words, "number of a hop", max_hops - 1);
  Hop hop{};
  const std::string interface = next_word(words, "an interface");
  hop.interface = if_nametoindex(interface.c_str());
  if (number == 0 || hop.interface == 0)
    throw std::runtime_error(number == 0 ? "hops are numbered from 1 on"
                                         : "there is no interface " + interface);
  hop.mtu = next_number(words, "MTU", 65535);
  next_mac(words, hop.to);
  next_mac(words, hop.from);
  if (!plan.hops.emplace(number, hop).second)
    throw std::runtime_error("hop " + std::to_string(number) + " came before");
}

void read_route(std::istringstream &words, ForwardPlan &plan) {
  const std::string text = next_word(words, "a network");
  const router::Network network = router::read_network(text);
  if (network.prefix & ~router::mask_of(network.length))
    throw std::runtime_error(text + " has bits beyond its length");
  std::uint32_t hop = 0;
  if (!take(words, "local")) {
    hop = next_number(words, "number of a hop", max_hops - 1);
    if (!plan.hops.contains(hop))
      throw std::runtime_error("there is no hop " + std::to_string(hop));
  }
  if (!plan.routes.emplace(network, hop).second)
    throw std::runtime_error(text + " came before");
}

RouteKey key_of(const router::Network &network) { return {network.length, htonl(network.prefix)}; }

} // namespace

ForwardPlan read_forward_plan(std::istream &in, const std::string &name) {
  ForwardPlan plan;
  read_lines(in, name, [&](std::istringstream &words) {
    const std::string what = next_word(words, "hop or route");
    if (what != "hop" && what != "route")
      throw std::runtime_error("\"" + what + "\" is neither hop nor route");
    what == "hop" ? read_hop(words, plan) : read_route(words, plan);
  });
  if (plan.routes.size() > max_routes)
    throw std::runtime_error(name + ": there is no room for more than " +
                             std::to_string(max_routes) + " routes");
  return plan;
}

ForwardTables::ForwardTables(const MapSource &maps)
    : variables_(maps(".bss")), list_(maps("routes")), trie_(maps("trie")), hops_(maps("hops")) {}

void ForwardTables::load(const ForwardPlan &plan) {
  const Change change(variables_, true);
  for (std::uint32_t i = 0; i < max_hops; ++i) {
    const auto found = plan.hops.find(i);
    hops_.set(i, found == plan.hops.end() ? Hop{} : found->second);
  }
  write(plan.routes);
}

void ForwardTables::add(const router::Network &network, std::uint32_t hop) {
  auto all = routes();
  all[network] = hop;
  if (all.size() > max_routes)
    throw std::runtime_error("there is no room for more routes");
  const Change change(variables_);
  write(all);
}

void ForwardTables::remove(const router::Network &network) {
  auto all = routes();
  if (all.erase(network) == 0)
    throw std::runtime_error("there is no such route");
  const Change change(variables_);
  write(all);
}

std::map<router::Network, std::uint32_t> ForwardTables::routes() const {
  std::map<router::Network, std::uint32_t> routes;
  for (const Route &route : list_.first<Route>(variables_.get<std::uint32_t>("route_count")))
    routes[{ntohl(route.prefix), static_cast<unsigned>(std::popcount(route.mask))}] = route.hop;
  return routes;
}

void ForwardTables::write(const std::map<router::Network, std::uint32_t> &routes) {
  std::vector<router::Network> order;
  for (const auto &[network, hop] : routes)
    order.push_back(network);
  std::ranges::sort(order, std::greater<>(), [](const router::Network &network) {
    return std::pair(network.length, network.prefix);
  });
  std::vector<Route> list;
  for (const router::Network &network : order)
    list.push_back(
        {htonl(network.prefix), htonl(router::mask_of(network.length)), routes.at(network)});
  list_.set_first(list);
  variables_.get<std::uint32_t>("route_count") = static_cast<std::uint32_t>(list.size());

  for (const auto &key : trie_.keys<RouteKey>())
    if (!routes.contains({ntohl(key.prefix), key.bits}))
      trie_.erase(key);
  for (const auto &[network, hop] : routes)
    trie_.set(key_of(network), hop);
}

} // namespace xdp
