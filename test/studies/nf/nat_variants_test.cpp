// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Variants of NAT do what its native code does: whatever comes, and whatever is configured
/// meanwhile.
#include <algorithm>
#include <array>
#include <random>

#include "nat_fixture.h"
#include "scenes.h"

namespace nf {
namespace {

class NatVariants : public NatTest {
protected:
  using Random = std::mt19937_64;

  static std::uint32_t any(Random &random, std::uint32_t from, unsigned count) {
    return from + static_cast<std::uint32_t>(random() % count);
  }
  static std::uint16_t any_port(Random &random) {
    return static_cast<std::uint16_t>(any(random, 5000, 12));
  }
  static std::uint8_t any_protocol(Random &random) {
    return std::to_array<std::uint8_t>({udp, udp, tcp, tcp, icmp})[random() % 5];
  }

  static NatConfig any_config(Random &random) {
    NatConfig config = nat_config;
    config.by_address = random() % 2;
    config.address_count = any(random, 1, 3);
    for (std::uint32_t i = 0; i < config.address_count; ++i)
      config.addresses[i] = turned(ours + i);
    config.forward_count = any(random, 0, 4);
    for (std::uint32_t i = 0; i < config.forward_count; ++i) {
      const std::uint8_t protocol = random() % 2 ? tcp : udp;
      config.forwards[i] = {
          .outside = {turned(any(random, ours, config.address_count)), turned(any_port(random)),
                      protocol, 0},
          .inside = {turned(any(random, host, 4)), turned(any_port(random)), protocol, 0}};
    }
    for (std::uint64_t &timer : config.timers)
      timer = 1 + random() % (4 * second);
    config.least_port = static_cast<std::uint16_t>(any(random, 4990, 20));
    config.most_port = static_cast<std::uint16_t>(any(random, 5012, 20));
    return config;
  }

  static Frame plain(Random &random, NfSide side) {
    constexpr std::array<std::uint8_t, 6> flags = {2, 0x12, 0x10, 0x10, 0x11, 4};
    Frame frame{.source = any(random, remote, 3),
                .destination = any(random, ours, 3),
                .protocol = any_protocol(random),
                .source_port = any_port(random),
                .destination_port = any_port(random),
                .tcp_flags = flags[random() % flags.size()],
                .icmp_type = static_cast<std::uint8_t>(random() % 4 ? 0 : 8),
                .icmp_rest = any(random, 5000, 12) << 16U,
                .ttl = static_cast<std::uint8_t>(random() % 50 ? 64 : random() % 3),
                .has_udp_checksum = random() % 8 != 0};
    frame.payload.resize(random() % 64);
    if (side == nf_external)
      return frame;
    frame.icmp_type = random() % 8 ? 8 : 0;
    frame.source = any(random, host, 4);
    frame.destination = any(random, random() % 6 ? remote : ours, 3);
    if (random() % 40 == 0)
      frame.destination = any(random, host, 4);
    return frame;
  }

  /// One in six is an error about something that went the other way.
  static Frame any_frame(Random &random, NfSide side) {
    if (random() % 6)
      return plain(random, side);
    Frame about = plain(random, nf_external);
    about.icmp_type = 8;
    std::swap(about.source, about.destination); // from us
    Frame error{.source = about.destination, .destination = ours, .protocol = icmp, .icmp_type = 3};
    if (side == nf_internal) {
      about.source = any(random, remote, 3);
      about.destination = any(random, host, 4);
      error.source = about.destination;
    }
    error.destination = about.source;
    error.payload = quoted(about, 28 + random() % 60);
    return error;
  }

  /// Small tables, so that they fill up.
  static void forget() {
    nat_forget(1);
    nat_inside_free(&nat_state.inside);
    nat_outside_free(&nat_state.outside);
    nat_peers_free(&nat_state.peers);
    ASSERT_TRUE(nat_inside_make(&nat_state.inside, 64, 5));
    ASSERT_TRUE(nat_outside_make(&nat_state.outside, 64, 6));
    ASSERT_TRUE(nat_peers_make(&nat_state.peers, 64, 7));
  }
  static void sweep(std::uint64_t now) { nat_sweep(now, 50); }
};

TEST_F(NatVariants, DoTheSame) {
  const Subject<NatConfig> subject{.name = "nat",
                                   .config = &nat_config,
                                   .take = nat_take,
                                   .forget = forget,
                                   .sweep = sweep,
                                   .counts = nat_state.counts,
                                   .fast_paths = {"nat.INSIDE", "nat.OUTSIDE"}};
  sartor::Runtime runtime;
  const auto handler = runtime.handler<&nat_poll>();
  std::array<std::uint64_t, nat_outcomes> sum{};
  for (const std::uint64_t seed : {1, 2, 3}) {
    Random random(seed);
    std::vector<Scene<NatConfig>> scenes;
    for (unsigned i = 0; i < 3; ++i)
      scenes.push_back({any_config(random), random_trace(seed * 10 + i, 2500, any_frame)});
    const Played wanted = play(subject, scenes, nat_poll);
    expect_consistent();
    std::ranges::transform(sum, wanted.counts, sum.begin(), std::plus());
    expect_the_same(
        subject, scenes, wanted, runtime, [&](NfIo *io, NfSide side) { return handler(io, side); },
        random);
  }
  for (unsigned i = 0; i < nat_outcomes; ++i) // the traces show all that may happen
    EXPECT_GT(sum[i], 0U) << nat_function.outcomes[i];
}

} // namespace
} // namespace nf
