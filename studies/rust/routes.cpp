// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "routes.h"

#include <algorithm>
#include <random>

namespace sartor::rust_study {

std::vector<Rule> routes(std::size_t count) {
  std::mt19937 random(static_cast<std::uint32_t>(count));
  std::vector<Rule> rules;
  while (rules.size() < count) {
    const unsigned few = random() % 8;
    const unsigned length = few == 0   ? 8 + random() % 8
                            : few == 1 ? 25 + random() % 8
                                       : 16 + random() % 9;
    const std::uint32_t mask = ~std::uint32_t{0} << (32 - length);
    const Rule made{static_cast<std::uint32_t>(random()) & mask, mask,
                    static_cast<std::uint16_t>(1 + random() % 48)};
    if (std::ranges::none_of(rules, [&](const Rule &known) {
          return known.network == made.network && known.mask == made.mask;
        }))
      rules.push_back(made);
  }
  std::ranges::sort(rules, [](const Rule &a, const Rule &b) {
    return a.mask != b.mask ? a.mask > b.mask : a.network < b.network;
  });
  return rules;
}

std::vector<std::uint32_t> traffic(const std::vector<Rule> &rules, std::size_t count) {
  std::mt19937 random(7);
  std::vector<std::uint32_t> addresses;
  for (std::size_t i = 0; i < count; ++i) {
    const Rule &route = rules[random() % rules.size()];
    const auto any = static_cast<std::uint32_t>(random());
    addresses.push_back(random() % 10 == 0 ? any : (route.network | (any & ~route.mask)));
  }
  return addresses;
}

std::uint16_t port_of(const std::vector<Rule> &rules, std::uint32_t address) {
  for (const Rule &each : rules)
    if ((address & each.mask) == each.network)
      return each.port;
  return 0;
}

} // namespace sartor::rust_study
