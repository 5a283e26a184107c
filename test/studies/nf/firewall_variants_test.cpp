// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Variants of the firewall do what its native code does: whatever comes, and whatever is
/// configured meanwhile.
#include <algorithm>
#include <array>
#include <random>

#include "firewall_fixture.h"
#include "scenes.h"

namespace nf {
namespace {

class FirewallVariants : public FirewallTest {
protected:
  using Random = std::mt19937_64;

  static std::uint32_t any(Random &random, std::uint32_t from, unsigned count) {
    return from + static_cast<std::uint32_t>(random() % count);
  }

  static FirewallRule any_rule(Random &random) {
    FirewallRule rule{};
    rule.side = random() % 2;
    rule.allows = random() % 2;
    rule.protocol = std::array{tcp, udp, icmp, std::uint8_t{0}}[random() % 4];
    rule.source_mask = random() % 2 ? ~0U : 0;
    rule.destination_mask = random() % 2 ? ~0U : 0;
    const std::uint32_t inside = turned(any(random, host, 4));
    const std::uint32_t outside = turned(any(random, remote, 4));
    rule.source = (rule.side == nf_internal ? inside : outside) & rule.source_mask;
    rule.destination = (rule.side == nf_internal ? outside : inside) & rule.destination_mask;
    rule.first_port = static_cast<std::uint16_t>(any(random, 5000, 6));
    rule.last_port = static_cast<std::uint16_t>(any(random, 5003, 6));
    return rule;
  }

  static FirewallConfig any_config(Random &random) {
    FirewallConfig config{};
    for (auto &timers : config.timers)
      for (std::uint64_t &timer : timers)
        timer = 1 + random() % (4 * second);
    config.count = any(random, 0, 40);
    std::generate_n(config.rules, config.count, [&] { return any_rule(random); });
    return config;
  }

  static Frame plain(Random &random, NfSide side) {
    constexpr std::array<std::uint8_t, 8> flags = {2, 2, 0x12, 0x10, 0x10, 0x11, 0x11, 4};
    constexpr std::array<std::uint8_t, 4> types = {8, 8, 0, 5};
    Frame frame{.source = any(random, host, 4),
                .destination = any(random, remote, 4),
                .protocol = std::array{udp, tcp, tcp, icmp}[random() % 4],
                .source_port = static_cast<std::uint16_t>(any(random, 5000, 3)),
                .destination_port = static_cast<std::uint16_t>(any(random, 5000, 3)),
                .tcp_flags = flags[random() % flags.size()],
                .icmp_type = types[random() % types.size()],
                .icmp_rest = any(random, 5000, 3) << 16U};
    frame.payload.resize(random() % 32);
    if (side == nf_external)
      std::swap(frame.source, frame.destination);
    return frame;
  }

  static Frame any_frame(Random &random, NfSide side) {
    if (random() % 6)
      return plain(random, side);
    Frame about = plain(random, side == nf_external ? nf_internal : nf_external);
    return {.source = about.destination,
            .destination = about.source,
            .protocol = icmp,
            .icmp_type = 3,
            .payload = quoted(about, 27 + random() % 40)};
  }

  static void forget() {
    firewall_forget(1);
    firewall_flows_free(&firewall_state.flows);
    ASSERT_TRUE(firewall_flows_make(&firewall_state.flows, 16, 5));
  }
  static void sweep(std::uint64_t now) { firewall_sweep(now, 20); }
};

TEST_F(FirewallVariants, DoTheSame) {
  const Subject<FirewallConfig> subject{.name = "firewall",
                                        .config = &firewall_config,
                                        .take = firewall_take,
                                        .forget = forget,
                                        .sweep = sweep,
                                        .counts = firewall_state.counts,
                                        .fast_paths = {"firewall.FLOW"}};
  sartor::Runtime runtime;
  const auto handler = runtime.handler<&firewall_poll>();
  std::array<std::uint64_t, firewall_outcomes> sum{};
  for (const std::uint64_t seed : {1, 2, 3}) {
    Random random(seed);
    std::vector<Scene<FirewallConfig>> scenes;
    for (unsigned i = 0; i < 3; ++i)
      scenes.push_back({any_config(random), random_trace(seed * 10 + i, 2500, any_frame)});
    const Played wanted = play(subject, scenes, firewall_poll);
    std::ranges::transform(sum, wanted.counts, sum.begin(), std::plus());
    expect_the_same(
        subject, scenes, wanted, runtime, [&](NfIo *io, NfSide side) { return handler(io, side); },
        random);
  }
  for (unsigned i = 0; i < firewall_outcomes; ++i) // the traces show all that may happen
    if (i != firewall_arp)
      EXPECT_GT(sum[i], 0U) << firewall_function.outcomes[i];
}

} // namespace
} // namespace nf
