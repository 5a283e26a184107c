// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "firewall_tables.h"

#include <stdexcept>

#include <arpa/inet.h>

#include "plan.h"
#include "routes.h"

namespace xdp {

namespace {

void read_network(std::istringstream &words, std::uint32_t &prefix, std::uint32_t &mask) {
  const router::Network network = router::read_network(next_word(words, "a network"));
  mask = htonl(router::mask_of(network.length));
  prefix = htonl(network.prefix) & mask;
}

std::uint8_t one_of(std::istringstream &words, const std::string &zero, const std::string &one) {
  const std::string word = next_word(words, zero + " or " + one);
  if (word != zero && word != one)
    throw std::runtime_error("\"" + word + "\" is neither " + zero + " nor " + one);
  return word == one;
}

} // namespace

Rule read_rule(std::istringstream &words) {
  constexpr std::uint32_t kMost = 65535;
  Rule rule{};
  rule.answer = one_of(words, "deny", "allow") != 0 ? rule_allows : 0;
  rule.side = one_of(words, "inside", "outside");
  read_network(words, rule.source, rule.source_mask);
  read_network(words, rule.destination, rule.destination_mask);
  rule.protocol = next_protocol(words);
  rule.last_port = kMost;
  if (has_more(words)) {
    rule.first_port = static_cast<std::uint16_t>(next_number(words, "port", kMost));
    rule.last_port = has_more(words) ? static_cast<std::uint16_t>(next_number(words, "port", kMost))
                                     : rule.first_port;
  }
  if (rule.last_port < rule.first_port)
    throw std::runtime_error("the last port comes before the first one");
  return rule;
}

std::vector<Rule> read_rules(std::istream &in, const std::string &name) {
  std::vector<Rule> rules;
  read_lines(in, name, [&](std::istringstream &words) {
    if (rules.size() == max_rules)
      throw std::runtime_error("there is no room for more rules");
    rules.push_back(read_rule(words));
  });
  return rules;
}

FirewallTables::FirewallTables(const MapSource &maps)
    : variables_(maps(".bss")), data_(maps(".data")), rules_(maps("rules")),
      counts_(maps("rule_counts")), connections_(maps("connections")) {}

void FirewallTables::load(const std::vector<Rule> &rules) {
  const Change change(variables_, true);
  write(rules);
  counts_.clear_sums();
}

void FirewallTables::insert(std::uint32_t place, const Rule &rule) {
  std::vector<Rule> all = rules();
  if (place > all.size() || all.size() == max_rules)
    throw std::runtime_error(place > all.size() ? "there is no such place" : "there is no room");
  all.insert(all.begin() + place, rule);
  const Change change(variables_);
  write(all);
}

void FirewallTables::remove(std::uint32_t place) {
  std::vector<Rule> all = rules();
  if (place >= all.size())
    throw std::runtime_error("there is no such rule");
  all.erase(all.begin() + place);
  const Change change(variables_);
  write(all);
}

std::vector<Rule> FirewallTables::rules() const {
  return rules_.first<Rule>(variables_.get<std::uint32_t>("rule_count"));
}

RuleCount FirewallTables::count(std::uint32_t place) const {
  const std::vector<std::uint64_t> sums = counts_.sums(place);
  return {sums.at(0), sums.at(1)};
}

void FirewallTables::write(const std::vector<Rule> &rules) {
  std::vector<Rule> placed = rules;
  std::uint16_t place = 0;
  for (Rule &rule : placed)
    rule.answer = static_cast<std::uint16_t>((rule.answer & rule_allows) | place++);
  rules_.set_first(placed);
  variables_.get<std::uint32_t>("rule_count") = static_cast<std::uint32_t>(rules.size());
}

} // namespace xdp
