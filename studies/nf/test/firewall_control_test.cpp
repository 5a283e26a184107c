// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The firewall's configuration files.
#include <string>

#include "firewall_fixture.h"

namespace nf {
namespace {

constexpr std::string_view kGood = R"(tcp_closing_timeout = 0.5
[[rule]]
from = "external"
source = "8.0.0.0/8"
destination = "10.0.0.2"
protocol = "tcp"
first_port = 443
last_port = 444
action = "allow"
[[rule]]
from = "internal"
action = "deny"
)";

std::string refusal(std::string_view what, std::string_view by) {
  std::string text(kGood);
  text.replace(text.find(what), what.size(), by);
  try {
    firewall_config_of(toml::parse(text));
  } catch (const BadConfiguration &error) {
    return error.what();
  }
  return "none";
}

class FirewallControl : public FirewallTest {};

TEST_F(FirewallControl, ReadsAll) {
  const FirewallConfig config = firewall_config_of(toml::parse(kGood));
  EXPECT_EQ(config.timers[firewall_tcp][firewall_closing], second / 2);
  EXPECT_EQ(config.timers[firewall_tcp][firewall_established], 7440 * second);
  EXPECT_EQ(config.timers[firewall_udp][firewall_new], 30 * second);
  EXPECT_EQ(config.timers[firewall_rest][firewall_established], 60 * second);
  ASSERT_EQ(config.count, 2U);
  const FirewallRule &first = config.rules[0];
  EXPECT_EQ(first.side, nf_external);
  EXPECT_EQ(first.source, turned(0x08000000U));
  EXPECT_EQ(first.source_mask, turned(0xff000000U));
  EXPECT_EQ(first.destination, turned(0x0a000002U));
  EXPECT_EQ(first.destination_mask, ~0U);
  EXPECT_EQ(first.protocol, tcp);
  EXPECT_EQ(first.first_port, 443);
  EXPECT_EQ(first.last_port, 444);
  EXPECT_EQ(first.allows, 1);
  const FirewallRule &rest = config.rules[1];
  EXPECT_EQ(rest.side, nf_internal);
  EXPECT_EQ(rest.source_mask, 0U);
  EXPECT_EQ(rest.protocol, 0);
  EXPECT_EQ(rest.first_port, 0);
  EXPECT_EQ(rest.last_port, 0xffff);
  EXPECT_EQ(rest.allows, 0);
}

TEST_F(FirewallControl, NamesWhatItRefuses) {
  EXPECT_EQ(refusal("last_port = 444", "last_port = 442"),
            "firewall.rule[0].last_port (line 8): must be a whole number from 443 to 65535");
  EXPECT_EQ(refusal("first_port = 443", ""),
            "firewall.rule[0].last_port (line 8): needs a first_port");
  EXPECT_EQ(refusal("\"tcp\"", "\"icmp\""),
            "firewall.rule[0].first_port (line 7): needs a protocol of \"tcp\" or \"udp\"");
  EXPECT_EQ(refusal("action = \"deny\"", ""), "firewall.rule[1].action (line 10): is missing");
  EXPECT_EQ(refusal("from = \"internal\"", ""), "firewall.rule[1].from (line 10): is missing");
  EXPECT_EQ(refusal("tcp_closing", "tcp_closed"),
            "firewall.tcp_closed_timeout (line 1): there is no such key");
}

TEST_F(FirewallControl, LeavesWhatIsActiveWhereItRefuses) {
  EXPECT_TRUE(out(udp));
  EXPECT_THROW(firewall_function.configure(toml::parse("rule = 1")), BadConfiguration);
  EXPECT_TRUE(in(udp));
}

TEST_F(FirewallControl, HasFramesThatAnswerEachOther) {
  const toml::table example = toml::parse(firewall_function.example);
  firewall_function.configure(*example["firewall"].as_table());
  firewall_function.forget(200);
  for (std::uint32_t flow = 0; flow < 200; ++flow) {
    EXPECT_FALSE(put(nf_external, firewall_function.frame(nf_external, flow)));
    EXPECT_TRUE(put(nf_internal, firewall_function.frame(nf_internal, flow)));
    EXPECT_TRUE(put(nf_external, firewall_function.frame(nf_external, flow)));
  }
  now_ += 1000 * second;
  for (int i = 0; i < 3; ++i)
    firewall_function.sweep(now_);
  EXPECT_EQ(firewall_state.flows.count, 0U);
}

} // namespace
} // namespace nf
