// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// NAT's configuration files, and the effect of changes on mappings.
#include <string>

#include "nat_fixture.h"

namespace nf {
namespace {

constexpr std::string_view kGood = R"(inside = "10.0.0.0/8"
filtering = "address-dependent"
first_port = 2000
last_port = 3000
udp_timeout = 120
tcp_established_timeout = 8000
external_to = "02:00:00:00:00:01"
external_from = "02:00:00:00:00:02"
internal_to = "02:00:00:00:00:03"
internal_from = "02:00:00:00:00:04"
[[address]]
address = "192.0.2.1"
[[address]]
address = "192.0.2.2"
[[forward]]
protocol = "udp"
outside_address = "192.0.2.2"
outside_port = 53
inside_address = "10.0.0.2"
inside_port = 5353
)";

/// The message for a configuration in which one text is replaced by another.
std::string refusal(std::string_view what, std::string_view by) {
  std::string text(kGood);
  text.replace(text.find(what), what.size(), by);
  try {
    nat_config_of(toml::parse(text));
  } catch (const BadConfiguration &error) {
    return error.what();
  }
  return "none";
}

class NatControl : public NatTest {};

TEST_F(NatControl, ReadsAll) {
  const NatConfig config = nat_config_of(toml::parse(kGood));
  EXPECT_EQ(config.network, turned(0x0a000000U));
  EXPECT_EQ(config.mask, turned(0xff000000U));
  EXPECT_EQ(config.by_address, 1);
  EXPECT_EQ(config.least_port, 2000);
  EXPECT_EQ(config.most_port, 3000);
  EXPECT_EQ(config.timers[nat_udp], 120 * second);
  EXPECT_EQ(config.timers[nat_tcp_established], 8000 * second);
  EXPECT_EQ(config.timers[nat_tcp_transitory], 240 * second);
  EXPECT_EQ(config.timers[nat_icmp], 60 * second);
  EXPECT_EQ(config.macs[nf_external][1][5], 2);
  EXPECT_EQ(config.macs[nf_internal][0][5], 3);
  ASSERT_EQ(config.address_count, 2U);
  EXPECT_EQ(config.addresses[1], turned(ours + 1));
  ASSERT_EQ(config.forward_count, 1U);
  EXPECT_EQ(config.forwards[0].outside.address, turned(ours + 1));
  EXPECT_EQ(config.forwards[0].outside.port, turned(std::uint16_t{53}));
  EXPECT_EQ(config.forwards[0].outside.protocol, udp);
  EXPECT_EQ(config.forwards[0].inside.port, turned(std::uint16_t{5353}));
}

TEST_F(NatControl, NamesWhatItRefuses) {
  EXPECT_EQ(refusal("udp_timeout = 120", "udp_timeout = 119.9"),
            "nat.udp_timeout (line 5): must be 120 seconds at least");
  EXPECT_EQ(refusal("= 8000", "= 7439"),
            "nat.tcp_established_timeout (line 6): must be 7440 seconds at least");
  EXPECT_EQ(refusal("last_port = 3000", "last_port = 1999"),
            "nat.last_port (line 4): must be a whole number from 2000 to 65535");
  EXPECT_EQ(refusal("192.0.2.1", "192.0.2.2"), "nat.address[1].address (line 14): is there twice");
  EXPECT_EQ(refusal("192.0.2.1", "10.0.0.9"), "nat.address[0].address (line 12): is inside");
  EXPECT_EQ(refusal("outside_address = \"192.0.2.2\"", "outside_address = \"192.0.2.3\""),
            "nat.forward[0].outside_address (line 17): is none of those under [[nat.address]]");
  EXPECT_EQ(refusal("10.0.0.2", "11.0.0.2"),
            "nat.forward[0].inside_address (line 19): is not inside");
  const std::string again(kGood.substr(kGood.find("[[forward]]")));
  EXPECT_EQ(refusal("[[forward]]", again + "[[forward]]"),
            "nat.forward[1].outside_port (line 24): is forwarded twice");
  EXPECT_EQ(refusal("inside_port = 5353\n",
                    "inside_port = 5353\n[[forward]]\nprotocol = \"udp\"\noutside_address = "
                    "\"192.0.2.2\"\noutside_port = 54\ninside_address = \"10.0.0.2\"\ninside_port "
                    "= 5353\n"),
            "nat.forward[1].inside_port (line 26): is forwarded to twice");
  EXPECT_THROW(nat_config_of(toml::parse(kGood.substr(0, kGood.find("[[address]]")))),
               BadConfiguration);
  EXPECT_EQ(refusal("udp_timeout", "udp_timer"), "nat.udp_timer (line 5): there is no such key");
}

TEST_F(NatControl, LeavesWhatIsActiveWhereItRefuses) {
  EXPECT_THROW(nat_function.configure(toml::parse("inside = 1")), BadConfiguration);
  EXPECT_EQ(nat_config.address_count, 1U);
  EXPECT_NE(port_of(host, 5000), 0);
}

TEST_F(NatControl, KeepsMappingsThatItWouldStillGive) {
  nat_config.by_address = 1;
  for (std::uint16_t port = 5000; port < 5010; ++port)
    EXPECT_EQ(port_of(host, port), port);
  NatConfig config = nat_config;
  config.timers[nat_udp] *= 2;
  nat_take(config);
  EXPECT_EQ(nat_state.inside.count, 10U);
  EXPECT_TRUE(answers(5009));
  config.least_port = 5002;
  nat_take(config);
  EXPECT_EQ(nat_state.inside.count, 8U);
  EXPECT_EQ(nat_state.peers.count, 8U);
  EXPECT_FALSE(answers(5001));
  config.forwards[0].outside = {turned(ours), turned(std::uint16_t{5002}), udp, 0};
  config.forwards[0].inside = {turned(host), turned(std::uint16_t{5003}), udp, 0};
  nat_take(config);
  EXPECT_EQ(nat_state.inside.count, 6U);
  EXPECT_EQ(enter({.source = other_remote, .destination = ours, .destination_port = 5002})
                ->destination_port,
            5003);
  expect_consistent();
  config.addresses[0] = turned(ours + 1);
  nat_take(config);
  EXPECT_EQ(nat_state.inside.count, 0U);
  EXPECT_EQ(nat_state.peers.count, 0U);
  expect_consistent();
}

TEST_F(NatControl, EndsMappingsOfHostsThatAreNotInsideAnyMore) {
  port_of(host, 5000);
  port_of(0x0b000001, 5001); // a host of another network
  NatConfig config = nat_config;
  config.network = turned(0x0b000000U);
  nat_take(config);
  EXPECT_EQ(nat_state.inside.count, 0U);
  EXPECT_NE(port_of(0x0b000001, 5001), 0);
}

TEST_F(NatControl, SweepsAPartAtATime) {
  for (std::uint16_t port = 5000; port < 5200; ++port)
    port_of(host, port);
  nat_sweep(now_ + 300 * second, 500);
  EXPECT_GT(nat_state.inside.count, 0U);
  EXPECT_LT(nat_state.inside.count, 200U);
  for (int i = 0; i < 5; ++i)
    nat_sweep(now_ + 300 * second, 500);
  EXPECT_EQ(nat_state.inside.count, 0U);
}

TEST_F(NatControl, HasFramesThatAnswerEachOther) {
  const toml::table example = toml::parse(nat_function.example);
  nat_function.configure(*example["nat"].as_table());
  nat_function.forget(200);
  for (std::uint32_t flow = 0; flow < 200; ++flow) {
    const Frame out = nat_function.frame(nf_internal, flow);
    ASSERT_TRUE(leave(out)) << flow;
    const auto came = enter(nat_function.frame(nf_external, flow));
    ASSERT_TRUE(came) << flow;
    EXPECT_EQ(came->destination, out.source);
    EXPECT_EQ(came->destination_port, out.source_port);
  }
}

} // namespace
} // namespace nf
