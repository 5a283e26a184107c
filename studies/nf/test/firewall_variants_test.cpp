// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Variants of the firewall must behave like native code for all frames and all configuration
/// changes.
#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <random>
#include <sstream>
#include <string>

#include "differential.h"
#include "firewall_fixture.h"

namespace nf {
namespace {

class FirewallVariants : public FirewallTest {
protected:
  using Random = std::mt19937_64;

  static void write_rule(std::ostream &text, Random &random) {
    constexpr std::array protocols = {"any", "icmp", "tcp", "udp"};
    const bool is_internal = random() % 2;
    const std::size_t protocol = random() % protocols.size();
    const std::string inside = "10.0.0." + std::to_string(any(random, host & 0xff, 4));
    const std::string outside = "8.8.8." + std::to_string(any(random, remote & 0xff, 4));
    text << "[[firewall.rule]]\nfrom = \"" << (is_internal ? "internal" : "external")
         << "\"\nprotocol = \"" << protocols[protocol] << "\"\naction = \""
         << (random() % 2 ? "allow" : "deny") << "\"\n";
    if (random() % 2)
      text << "source = \"" << (is_internal ? inside : outside) << "\"\n";
    if (random() % 2)
      text << "destination = \"" << (is_internal ? outside : inside) << "\"\n";
    if (protocol >= 2 && random() % 2)
      text << "first_port = " << any(random, 5000, 3) << "\nlast_port = " << any(random, 5002, 3)
           << '\n';
  }

  static std::string any_configuration(Random &random) {
    std::ostringstream text;
    text << "[firewall]\n";
    for (const char *const flow : {"tcp_new", "tcp_established", "tcp_closing", "udp_new",
                                   "udp_established", "other_new", "other_established"})
      text << flow << "_timeout = " << any(random, 1, 4000) / 1000.0 + 0.001 << '\n';
    for (unsigned rules = any(random, 0, 40); rules > 0; --rules)
      write_rule(text, random);
    return text.str();
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
    firewall_fragments_free(&firewall_state.fragments);
    ASSERT_TRUE(firewall_fragments_make(&firewall_state.fragments, 16, 8));
    firewall_flows_free(&firewall_state.flows);
    ASSERT_TRUE(firewall_flows_make(&firewall_state.flows, 16, 5));
  }
};

TEST_F(FirewallVariants, DoTheSameWhileTheirConfigurationChanges) {
  std::array<std::uint64_t, firewall_outcomes> sum{};
  for (const std::uint64_t seed : {1, 2, 3}) {
    Random random(seed);
    Play play{firewall_function, random_trace(seed, 8000, any_frame), {}, forget};
    std::generate_n(std::back_inserter(play.configurations), 4,
                    [&] { return any_configuration(random); });
    const Played wanted = play.generic();
    EXPECT_EQ(play.specialized(seed), wanted);
    std::ranges::transform(sum, wanted.counts, sum.begin(), std::plus());
  }
  for (unsigned i = 0; i < firewall_outcomes; ++i) // the traces cover all outcomes
    if (i != firewall_arp)
      EXPECT_GT(sum[i], 0U) << firewall_function.outcomes[i];
}

} // namespace
} // namespace nf
