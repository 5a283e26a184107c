// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The load balancer's configuration files. Variants must behave like its native code while the
/// configuration changes.
#include <algorithm>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "balancer_control.h"
#include "balancer_scenes.h"
#include "balancer_state.h"
#include "differential.h"

namespace nf {
namespace {

constexpr std::string_view kGood = R"(
lookup_size = 7
[[vip]]
address = "192.0.2.1"
port = 80
protocol = "tcp"
mode = "translate"
[[vip.back_end]]
address = "10.0.0.1"
port = 8080
mac = "02:00:00:00:00:01"
health = "draining"
[[vip.back_end]]
address = "10.0.0.2"
mac = "02:00:00:00:00:02"
[[vip]]
address = "192.0.2.1"
port = 81
protocol = "tcp"
mode = "translate"
[[vip.back_end]]
address = "10.0.0.3"
mac = "02:00:00:00:00:03"
)";

/// The message for a configuration in which one text is replaced by another.
std::string refusal(std::string_view what, std::string_view by) {
  std::string text(kGood);
  text.replace(text.find(what), what.size(), by);
  try {
    balancer_config_of(toml::parse(text), {});
  } catch (const BadConfiguration &error) {
    return error.what();
  }
  return "none";
}

TEST(BalancerControl, ReadsServicesAndBackEnds) {
  const BalancerConfig config = balancer_config_of(toml::parse(kGood), {});
  EXPECT_EQ(config.vip_count, 2U);
  EXPECT_EQ(config.back_end_count, 3U);
  EXPECT_EQ(config.back_ends[0].port, __builtin_bswap16(8080));
  EXPECT_EQ(config.back_ends[0].health, balancer_draining);
  EXPECT_EQ(config.back_ends[1].port, __builtin_bswap16(80));
  EXPECT_EQ(config.back_ends[2].vip, 1);
  EXPECT_EQ(config.tcp_timeout, 300'000'000'000U);
  std::vector<std::uint16_t> lookup(7, 1);
  lookup.insert(lookup.end(), 7, 2);
  EXPECT_EQ(balancer_lookup_of(config), lookup);
}

TEST(BalancerControl, NamesWhatItRefuses) {
  EXPECT_EQ(refusal("= 7", "= 8"),
            "balancer.lookup_size (line 2): must be a prime, such as 251 or 65537");
  EXPECT_EQ(refusal("= 7", "= 65539"),
            "balancer.lookup_size (line 2): must be a whole number from 2 to 65537");
  EXPECT_EQ(
      refusal("port = 81", "port = 80"),
      "balancer.vip[1].address (line 17): has been named before, with this port and protocol");
  EXPECT_EQ(refusal("\"10.0.0.2\"", "\"10.0.0.1\"\nport = 8080"),
            "balancer.vip[0].back_end[1].address (line 14): has been named before, with this port "
            "and protocol");
  EXPECT_EQ(refusal("\"10.0.0.3\"", "\"10.0.0.1\"\nport = 8080"),
            "balancer.vip[1].back_end[0].address (line 22): has been named before, with this port "
            "and protocol");
  EXPECT_EQ(refusal("\"draining\"", "\"ill\""),
            "balancer.vip[0].back_end[0].health (line 12): \"ill\" is not one of \"down\" "
            "\"draining\" \"up\"");
  EXPECT_EQ(refusal("\"translate\"", "\"direct\""),
            "balancer.vip[0].back_end[0].port (line 10): there is no such key");
  EXPECT_EQ(refusal("= 7", "= 2"), "none");
  std::string many = "[[vip]]\naddress = \"192.0.2.1\"\nport = 80\nprotocol = \"tcp\"\nmode = "
                     "\"translate\"\n";
  for (int i = 0; i < 3; ++i)
    many += "[[vip.back_end]]\naddress = \"10.0.0." + std::to_string(i) +
            "\"\nmac = \"02:00:00:00:00:01\"\n";
  EXPECT_THROW(balancer_config_of(toml::parse("lookup_size = 2\n" + many), {}), BadConfiguration);
}

TEST(BalancerControl, LeavesWhatIsActiveWhereItRefuses) {
  balancer_function.configure(toml::parse(kGood));
  EXPECT_THROW(balancer_function.configure(toml::parse("lookup_size = 4")), BadConfiguration);
  EXPECT_EQ(balancer_config.vip_count, 2U);
  EXPECT_EQ(balancer_state.lookup[13], 2);
}

// The frames of the benchmark are forwarded, and translated back.
TEST(BalancerControl, HasAnExampleThatFitsItsFrames) {
  balancer_function.configure(*toml::parse(balancer_function.example)["balancer"].as_table());
  balancer_function.forget(1000);
  MemoryIo io;
  for (const NfSide side : {nf_external, nf_internal}) {
    for (std::uint32_t flow = 0; flow < 200; ++flow)
      io.put(side, bytes_of(balancer_function.frame(side, flow)));
    while (balancer_poll(&io.io(), side) > 0) {
    }
  }
  EXPECT_EQ(balancer_state.counts[balancer_begun], 200U);
  EXPECT_EQ(balancer_state.counts[balancer_replied], 200U);
  balancer_flows_free(&balancer_state.flows);
}

void forget() {
  balancer_function.configure(toml::parse("")); // generations are not compared
  balancer_function.forget(16);
  balancer_flows_free(&balancer_state.flows);
  ASSERT_TRUE(balancer_flows_make(&balancer_state.flows, 128, 7));
}

TEST(BalancerVariants, DoTheSameWhileTheConfigurationChanges) {
  for (const std::uint64_t seed : {1, 2}) {
    std::mt19937_64 random(seed);
    Play play{balancer_function, random_trace(seed, 6000, of_few), {}, forget};
    std::generate_n(std::back_inserter(play.configurations), 5,
                    [&] { return balancer_configuration(random); });
    const Played wanted = play.generic();
    for (std::size_t i = 0; i < wanted.counts.size(); ++i)
      EXPECT_GT(wanted.counts[i], 2U) << balancer_function.outcomes[i];
    EXPECT_EQ(play.specialized(seed), wanted);
  }
  balancer_flows_free(&balancer_state.flows);
}

} // namespace
} // namespace nf
