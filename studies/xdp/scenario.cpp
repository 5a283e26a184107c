// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario.h"

#include <algorithm>

#include <arpa/inet.h>

#include <sartor/bpf/object.h>

#include "balancer_tables.h"
#include "firewall_tables.h"
#include "forward_tables.h"
#include "packets.h"
#include "traffic.h"
#include "transport.h"

SARTOR_BPF_OBJECT(balancer)
SARTOR_BPF_OBJECT(firewall)
SARTOR_BPF_OBJECT(forward)

namespace xdp {

namespace {

constexpr std::uint32_t kSelf = 0x0a000001;   // 10.0.0.1
constexpr std::uint32_t kInside = 0xc0000200; // 192.0.2.0
constexpr std::size_t kTimeBytes = 8;

/// A host that is determined by the number.
std::uint32_t host(std::uint64_t number) {
  std::mt19937_64 random(number);
  return router::random_host(random);
}

void load_routes(const MapSource &maps) {
  constexpr std::size_t kRoutes = 1000;
  constexpr std::uint8_t kHops = 4;
  ForwardPlan plan;
  std::vector<std::uint32_t> numbers;
  for (std::uint8_t i = 1; i <= kHops; ++i) {
    plan.hops[i] = {i, 1500, {2, 0, 0, 0, i, 1}, {2, 0, 0, 0, i, 2}};
    numbers.push_back(i);
  }
  for (const router::RouteLine &line : router::made_up_routes(kRoutes, 1, numbers))
    plan.routes[line.network] = line.gateway;
  ForwardTables(maps).load(plan);
}

Scenario forward(const std::string &handler, const std::string &fast_path,
                 const std::string &table) {
  return {.name = handler,
          .handler = handler,
          .object = forward_object(),
          .fast_path = fast_path,
          .table = table,
          .maps = {{"outcomes"}},
          .load = load_routes,
          .popular = [](std::uint64_t number) { return udp({kSelf, host(number), 1000, 53}); },
          .any = [](auto &random) { return udp({kSelf, router::random_host(random), 1000, 53}); }};
}

/// 128 rules, nearly all for networks without traffic; the last ones match any host.
void load_rules(const MapSource &maps) {
  constexpr std::uint32_t kRules = 128;
  constexpr std::uint32_t kAll = 0xffffffff;
  std::mt19937_64 random(2);
  std::vector<Rule> rules;
  while (rules.size() + 2 < kRules) {
    const bool is_popular = rules.size() % 16 == 15;
    const std::uint32_t mask = htonl(is_popular ? kAll : 0xffffff00);
    const std::uint32_t source = is_popular ? host(rules.size()) : router::random_host(random);
    const auto port = static_cast<std::uint16_t>(random() % 1000);
    rules.push_back({htonl(source) & mask, mask, htonl(kInside), htonl(0xffffff00), port, 65535,
                     static_cast<std::uint8_t>(random() % 2 == 0 ? IPPROTO_UDP : IPPROTO_TCP),
                     side_outside,
                     static_cast<std::uint16_t>(random() % 2 == 0 ? rule_allows : 0)});
  }
  rules.push_back(
      {0, 0, htonl(kInside | 80), kAll, 80, 80, IPPROTO_TCP, side_outside, rule_allows});
  rules.push_back({0, 0, 0, 0, 0, 65535, 0, side_outside, 0});
  FirewallTables(maps).load(rules);
}

/// A connection attempt to a closed port.
Ends knock(std::uint32_t source, std::uint32_t number) {
  return {source, kInside | (number % 100 + 100), static_cast<std::uint16_t>(1024 + number % 50000),
          static_cast<std::uint16_t>(1 + number % 20)};
}

Scenario firewall() {
  return {.name = "firewall",
          .handler = "from_outside",
          .object = firewall_object(),
          .fast_path = "rule",
          .table = "rules",
          .maps = {{"outcomes"}, {"rule_counts"}, {"connections", kTimeBytes}},
          .load = load_rules,
          .popular =
              [](std::uint64_t number) {
                return tcp(knock(host(number), static_cast<std::uint32_t>(number)), flag_syn);
              },
          .any =
              [](auto &random) {
                const std::uint32_t source = router::random_host(random);
                return tcp(knock(source, static_cast<std::uint32_t>(random())), flag_syn);
              }};
}

/// 16 services, and eight back ends for each.
void load_services(const MapSource &maps) {
  constexpr std::uint32_t kBackEnds = 8;
  BalancerPlan plan;
  plan.source = htonl(kSelf);
  std::vector<std::uint32_t> members;
  for (std::uint32_t i = 1; i <= kBackEnds; ++i) {
    plan.back_ends[i] = htonl(kSelf + i);
    members.push_back(i);
  }
  for (std::uint16_t i = 0; i < max_services; ++i)
    plan.services.push_back({{htonl(kInside | i), htons(80),
                              static_cast<std::uint16_t>(i % 4 == 3 ? IPPROTO_UDP : IPPROTO_TCP)},
                             i % 8 == 7,
                             members});
  BalancerTables(maps).load(plan);
}

std::string request(std::uint32_t client, std::uint32_t number, std::uint32_t service) {
  const Ends ends = {client, kInside | service, static_cast<std::uint16_t>(1024 + number % 50000),
                     80};
  return service % 4 == 3 ? udp(ends) : tcp(ends, flag_ack);
}

Scenario balancer() {
  return {.name = "balancer",
          .handler = "balance",
          .object = balancer_object(),
          .fast_path = "target",
          .table = "services",
          .maps = {{"outcomes"}, {"service_counts"}, {"flows", kTimeBytes}},
          .load = load_services,
          .popular =
              [](std::uint64_t number) {
                return request(host(number), static_cast<std::uint32_t>(number),
                               static_cast<std::uint32_t>(number % max_services));
              },
          .any =
              [](auto &random) {
                return request(router::random_host(random), static_cast<std::uint32_t>(random()),
                               static_cast<std::uint32_t>(random() % 250));
              }};
}

} // namespace

const std::vector<Scenario> &scenarios() {
  static const std::vector<Scenario> all = {forward("forward", "route", "routes"),
                                            forward("forward_by_trie", "route_in_trie", "trie"),
                                            firewall(), balancer()};
  return all;
}

std::vector<std::string> frames_of(const Scenario &scenario, const Mix &mix, std::size_t count) {
  std::mt19937_64 random(mix.seed);
  std::vector<double> weights;
  for (std::size_t i = 0; i < mix.popular; ++i)
    weights.push_back(mix.is_zipf ? 1.0 / static_cast<double>(i + 1) : 1.0);
  std::discrete_distribution<std::uint64_t> which(weights.begin(), weights.end());
  std::bernoulli_distribution is_hit(mix.hits);
  std::vector<std::string> frames;
  while (frames.size() < count)
    frames.push_back(is_hit(random) ? scenario.popular(mix.first + which(random))
                                    : scenario.any(random));
  return frames;
}

} // namespace xdp
