// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure.h"

#include <stdexcept>
#include <vector>

#include "routes.h"
#include "tables.h"

namespace sartor::rust_study {

namespace {

constexpr std::size_t kAddresses = 2048;

} // namespace

Timings measure_table(std::size_t rule_count, std::size_t rounds) {
  const std::vector<Rule> rules = routes(rule_count);
  const std::vector<std::uint32_t> addresses = traffic(rules, kAddresses);
  const auto in_rust = table_in_rust(rules);
  const auto in_c = table_in_c(rules);
  std::vector<std::uint16_t> expected;
  for (const std::uint32_t address : addresses)
    expected.push_back(port_of(rules, address));
  std::vector<std::uint16_t> ports(kAddresses);
  bool has_run = false;
  bool is_right = true;
  const auto look_at_last = [&] {
    is_right &= !has_run || ports == expected;
    has_run = true;
    ports.assign(kAddresses, 0);
  };
  const auto way = [&](const char *name, auto forward) {
    return bench::Alternative{name, forward, look_at_last};
  };
  const auto run = [&](auto native) {
    return [&, native] {
      native(rules.data(), rules.size(), addresses.data(), kAddresses, ports.data());
    };
  };
  std::vector<bench::Samples> samples = bench::interleave(
      {way("rust", run(rust_forward)),
       way("rust, specialized", [&] { in_rust->forward(addresses, ports.data()); }),
       way("C", run(forward_in_c)),
       way("C, specialized", [&] { in_c->forward(addresses, ports.data()); })},
      rounds);
  if (!is_right || ports != expected)
    throw std::runtime_error("a look-up gave a wrong port");
  for (bench::Samples &each : samples)
    for (double &ticks : each)
      ticks /= kAddresses;
  return {samples[0], samples[1], samples[2], samples[3]};
}

} // namespace sartor::rust_study
