// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "balancer_tables.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include <arpa/inet.h>

#include "plan.h"

namespace xdp {

namespace {

void read_service(std::istringstream &words, BalancerPlan &plan) {
  ServicePlan service;
  service.key.address = next_address(words);
  service.key.protocol = next_protocol(words);
  if (service.key.protocol != IPPROTO_TCP && service.key.protocol != IPPROTO_UDP)
    throw std::runtime_error("services are of tcp or udp");
  service.key.port = htons(static_cast<std::uint16_t>(next_number(words, "port", 65535)));
  service.forgets = take(words, "forgets");
  while (has_more(words)) {
    const std::uint32_t number = next_number(words, "number of a back end", max_back_ends - 1);
    if (!plan.back_ends.contains(number))
      throw std::runtime_error("there is no back end " + std::to_string(number));
    service.back_ends.push_back(number);
  }
  if (plan.services.size() == max_services)
    throw std::runtime_error("there is no room for more services");
  plan.services.push_back(service);
}

void read_back_end(std::istringstream &words, BalancerPlan &plan) {
  const std::uint32_t number = next_number(words, "number of a back end", max_back_ends - 1);
  if (number == 0 || !plan.back_ends.emplace(number, next_address(words)).second)
    throw std::runtime_error("back ends have numbers from 1 on, each another one");
}

void read_balancer_line(std::istringstream &words, BalancerPlan &plan) {
  const std::string what = next_word(words, "a word");
  if (what == "source")
    plan.source = next_address(words);
  else if (what == "gateway")
    next_mac(words, plan.gateway);
  else if (what == "mtu")
    plan.mtu = next_number(words, "MTU", 65535);
  else if (what == "back_end")
    read_back_end(words, plan);
  else if (what == "service")
    read_service(words, plan);
  else
    throw std::runtime_error("\"" + what + "\" is none of source, gateway, mtu, back_end, service");
}

// The mixing steps of splitmix64.
std::uint64_t scrambled(std::uint64_t number) {
  number += 0x9e3779b97f4a7c15;
  number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
  number = (number ^ number >> 27) * 0x94d049bb133111eb;
  return number ^ number >> 31;
}

} // namespace

BalancerPlan read_balancer_plan(std::istream &in, const std::string &name) {
  BalancerPlan plan;
  read_lines(in, name, [&](std::istringstream &words) { read_balancer_line(words, plan); });
  return plan;
}

std::vector<std::uint32_t> fill_ring(const std::vector<std::uint32_t> &back_ends,
                                     std::uint32_t size) {
  std::vector<std::uint32_t> ring(size, 0);
  if (back_ends.empty())
    return ring;
  std::vector<std::uint64_t> places;
  for (const std::uint32_t number : back_ends)
    places.push_back(scrambled(number) % size);
  for (std::uint32_t filled = 0; filled < size;)
    for (std::size_t i = 0; i < back_ends.size() && filled < size; ++i) {
      const std::uint64_t step = scrambled(~std::uint64_t{back_ends[i]}) % (size - 1) + 1;
      while (ring[places[i]] != 0)
        places[i] = (places[i] + step) % size;
      ring[places[i]] = back_ends[i];
      ++filled;
    }
  return ring;
}

BalancerTables::BalancerTables(const MapSource &maps)
    : variables_(maps(".bss")), data_(maps(".data")), services_(maps("services")),
      rings_(maps("rings")), back_ends_(maps("back_ends")), flows_(maps("flows")),
      counts_(maps("service_counts")) {}

void BalancerTables::load(const BalancerPlan &plan) {
  const Change change(variables_, true);
  Encapsulation &to = encapsulation();
  to.source = plan.source;
  to.mtu = plan.mtu;
  std::ranges::copy(plan.gateway, to.gateway);
  for (std::uint32_t i = 0; i < max_back_ends; ++i) {
    const auto found = plan.back_ends.find(i);
    back_ends_.set(i, BackEnd{found == plan.back_ends.end() ? 0 : found->second});
  }
  for (const auto &key : services_.keys<ServiceKey>())
    services_.erase(key);
  std::uint16_t number = 0;
  for (const ServicePlan &service : plan.services) {
    write_ring(number, service.back_ends);
    const auto flags = static_cast<std::uint16_t>(service.forgets ? service_forgets : 0);
    services_.set(service.key, Service{number++, flags});
  }
}

void BalancerTables::add(std::uint32_t back_end, std::uint32_t address) {
  if (back_end == 0 || back_end >= max_back_ends ||
      back_ends_.find<std::uint32_t, BackEnd>(back_end)->address != 0)
    throw std::runtime_error("that number is taken, or too large");
  const Change change(variables_);
  back_ends_.set(back_end, BackEnd{address});
  for (const std::uint32_t service : service_numbers()) {
    std::vector<std::uint32_t> members = back_ends(service);
    members.insert(std::ranges::lower_bound(members, back_end), back_end);
    write_ring(service, members);
  }
}

void BalancerTables::remove(std::uint32_t back_end, bool is_gone) {
  if (back_end == 0 || back_end >= max_back_ends ||
      back_ends_.find<std::uint32_t, BackEnd>(back_end)->address == 0)
    throw std::runtime_error("there is no such back end");
  const Change change(variables_);
  for (const std::uint32_t service : service_numbers()) {
    std::vector<std::uint32_t> members = back_ends(service);
    if (std::erase(members, back_end) != 0)
      write_ring(service, members);
  }
  if (is_gone)
    back_ends_.set(back_end, BackEnd{0});
}

std::vector<std::uint32_t> BalancerTables::back_ends(std::uint32_t service) const {
  std::set<std::uint32_t> members;
  for (std::uint32_t i = 0; i < ring_size; ++i)
    members.insert(rings_.find<std::uint32_t, std::uint32_t>(service * ring_size + i).value());
  members.erase(0);
  return {members.begin(), members.end()};
}

ServiceCount BalancerTables::count(std::uint32_t service) const {
  const std::vector<std::uint64_t> sums = counts_.sums(service);
  return {sums.at(0), sums.at(1)};
}

void BalancerTables::write_ring(std::uint32_t service,
                                const std::vector<std::uint32_t> &back_ends) {
  const std::vector<std::uint32_t> ring = fill_ring(back_ends);
  for (std::uint32_t i = 0; i < ring_size; ++i)
    rings_.set(service * ring_size + i, ring[i]);
}

std::vector<std::uint32_t> BalancerTables::service_numbers() const {
  std::vector<std::uint32_t> numbers;
  for (const auto &key : services_.keys<ServiceKey>())
    numbers.push_back(services_.find<ServiceKey, Service>(key)->number);
  return numbers;
}

} // namespace xdp
