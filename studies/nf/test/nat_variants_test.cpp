// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Variants of NAT must behave like native code for all frames and all configuration changes.
#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <random>
#include <set>
#include <sstream>
#include <string>

#include "differential.h"
#include "nat_fixture.h"

namespace nf {
namespace {

class NatVariants : public NatTest {
protected:
  using Random = std::mt19937_64;

  static std::uint16_t any_port(Random &random) {
    return static_cast<std::uint16_t>(any(random, 5000, 12));
  }
  static std::uint8_t any_protocol(Random &random) {
    return std::to_array<std::uint8_t>({udp, udp, tcp, tcp, icmp})[random() % 5];
  }

  static std::string dotted(std::uint32_t address) {
    std::string text = std::to_string(address >> 24U);
    for (const unsigned bits : {16U, 8U, 0U})
      text += '.' + std::to_string(address >> bits & 0xffU);
    return '"' + text + '"';
  }

  /// Timers are the shortest permitted ones, or somewhat longer.
  static std::string any_configuration(Random &random) {
    std::ostringstream text;
    text << "[nat]\ninside = \"10.0.0.0/8\"\nfiltering = \""
         << (random() % 2 ? "endpoint-independent" : "address-dependent")
         << "\"\nfirst_port = " << any(random, 4990, 20)
         << "\nlast_port = " << any(random, 5012, 20) << "\nudp_timeout = " << any(random, 120, 100)
         << "\nicmp_timeout = " << any(random, 60, 100)
         << "\ntcp_transitory_timeout = " << any(random, 240, 100) << '\n';
    for (const char *const mac : {"internal_to", "internal_from", "external_to", "external_from"})
      text << mac << " = \"02:00:00:00:00:" << any(random, 10, 80) << "\"\n";
    const unsigned addresses = any(random, 1, 3);
    for (unsigned i = 0; i < addresses; ++i)
      text << "[[nat.address]]\naddress = " << dotted(ours + i) << '\n';
    std::set<std::uint64_t> taken;
    for (unsigned forwards = any(random, 0, 6); forwards > 0; --forwards) {
      const std::uint32_t outside = any(random, ours, addresses);
      const std::uint32_t inside = any(random, host, 4);
      const std::uint16_t port = any_port(random);
      if (taken.insert(std::uint64_t{outside} << 16U | port).second &&
          taken.insert(std::uint64_t{inside} << 16U | port).second)
        text << "[[nat.forward]]\nprotocol = \"" << (random() % 2 ? "tcp" : "udp")
             << "\"\noutside_address = " << dotted(outside) << "\noutside_port = " << port
             << "\ninside_address = " << dotted(inside) << "\ninside_port = " << port << '\n';
    }
    return text.str();
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
    if (random() % 8 == 0)
      frame.fragment = random() % 2 ? 0x2000 : 20;
    if (side == nf_external)
      return frame;
    frame.icmp_type = random() % 8 ? 8 : 0;
    frame.source = any(random, host, 4);
    frame.destination = any(random, random() % 6 ? remote : ours, 3);
    if (random() % 40 == 0)
      frame.destination = any(random, host, 4);
    return frame;
  }

  /// One in six frames is an error about a frame in the other direction.
  static Frame any_frame(Random &random, NfSide side) {
    if (random() % 6)
      return plain(random, side);
    Frame about = plain(random, nf_external);
    about.icmp_type = 8;
    std::swap(about.source, about.destination); // sent by NAT's own address
    Frame error{.source = about.destination, .destination = ours, .protocol = icmp, .icmp_type = 3};
    if (side == nf_internal) {
      about.source = any(random, remote, 3);
      about.destination = any(random, host, 4);
      error.source = about.destination;
    }
    error.destination = about.source;
    error.payload = quoted(about, 20 + random() % 68);
    return error;
  }

  /// Small tables, so that they fill up.
  static void forget() {
    nat_forget(1);
    nat_fragments_free(&nat_state.fragments);
    ASSERT_TRUE(nat_fragments_make(&nat_state.fragments, 16, 8));
    nat_inside_free(&nat_state.inside);
    nat_outside_free(&nat_state.outside);
    nat_peers_free(&nat_state.peers);
    ASSERT_TRUE(nat_inside_make(&nat_state.inside, 64, 5));
    ASSERT_TRUE(nat_outside_make(&nat_state.outside, 64, 6));
    ASSERT_TRUE(nat_peers_make(&nat_state.peers, 64, 7));
  }
};

TEST_F(NatVariants, DoTheSameWhileTheirConfigurationChanges) {
  std::array<std::uint64_t, nat_outcomes> sum{};
  for (const std::uint64_t seed : {1, 2, 3}) {
    Random random(seed);
    Play play{nat_function, random_trace(seed, 8000, any_frame), {}, forget};
    for (Arrival &arrival : play.trace)
      arrival.now *= 300; // timers are long
    std::generate_n(std::back_inserter(play.configurations), 4,
                    [&] { return any_configuration(random); });
    const Played wanted = play.generic();
    expect_consistent();
    EXPECT_EQ(play.specialized(seed), wanted);
    std::ranges::transform(sum, wanted.counts, sum.begin(), std::plus());
  }
  for (unsigned i = 0; i < nat_outcomes; ++i) // the traces cover all outcomes
    EXPECT_GT(sum[i], 0U) << nat_function.outcomes[i];
}

} // namespace
} // namespace nf
