// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <set>

#include <arpa/inet.h>

#include "balancer_tables.h"
#include "transport.h"
#include "xdp.h"

namespace xdp::test {

namespace {

constexpr std::uint32_t kService = 0xc0000201; // 192.0.2.1
constexpr Ends kEnds = {0xc6336405, kService, 40000, 80};
constexpr std::uint8_t kSyn = flag_syn, kAck = flag_ack;
constexpr std::size_t kWrapping = 20;

/// The same client with another port.
Ends from_port(std::uint16_t port) {
  Ends ends = kEnds;
  ends.source_port = port;
  return ends;
}

class XdpBalancerTest : public Kernel {
protected:
  void SetUp() override {
    Kernel::SetUp();
    if (IsSkipped())
      return;
    handlers = std::make_unique<Handlers>(balancer_object());
    tables = std::make_unique<BalancerTables>(handlers->maps());
    tables->load(plan_of("service 192.0.2.1 tcp 80 1 2 3\n"
                         "service 192.0.2.1 udp 53 forgets 1 2 3\n"
                         "service 192.0.2.2 tcp 80\n"));
  }

  static BalancerPlan plan_of(const std::string &services) {
    std::istringstream plan("source 10.0.0.1\n"
                            "gateway 02:00:00:00:00:09\n"
                            "mtu 1400\n"
                            "back_end 1 10.0.0.11\nback_end 2 10.0.0.12\nback_end 3 10.0.0.13\n" +
                            services);
    return read_balancer_plan(plan, "plan");
  }

  /// The back end, by the last byte of its address less ten; 0: not balanced.
  std::uint32_t back_end_of(const std::string &frame) {
    const Ran ran = handlers->run("balance", frame);
    return ran.verdict == XDP_TX ? static_cast<unsigned char>(ran.frame.at(33)) - 10U : 0;
  }
  std::map<std::uint16_t, std::uint32_t> begin_flows(std::uint8_t flags = kSyn) {
    std::map<std::uint16_t, std::uint32_t> flows;
    for (std::uint16_t port = 1000; port < 1300; ++port)
      flows[port] = back_end_of(tcp(from_port(port), flags));
    return flows;
  }

  std::unique_ptr<Handlers> handlers;
  std::unique_ptr<BalancerTables> tables;
};

} // namespace

TEST_F(XdpBalancerTest, APacketIsWrappedAndNotChanged) {
  const std::string frame = with_byte(tcp(kEnds, kSyn), 1, 0x28); // with a type of service
  const Ran ran = handlers->run("balance", frame);
  EXPECT_EQ(ran.verdict, XDP_TX);
  EXPECT_EQ(handlers->outcome(), outcome_balanced);
  ASSERT_EQ(ran.frame.size(), frame.size() + kWrapping);
  EXPECT_EQ(ran.frame.substr(0, 14), std::string("\2\0\0\0\0\x09\2\0\0\0\0\1\x08\0", 14));
  const std::string outer = ran.frame.substr(14, kWrapping);
  EXPECT_EQ(outer.substr(0, 10), std::string("\x45\x28\0\x46\0\0\x40\0\x40\4", 10));
  EXPECT_EQ(outer.substr(12, 7), std::string("\x0a\0\0\1\x0a\0\0", 7));
  EXPECT_EQ(checksum_over(ran.frame, 14, kWrapping), 0);
  EXPECT_EQ(ran.frame.substr(14 + kWrapping), frame.substr(14));
  EXPECT_EQ(tables->count(0).packets, 1U);
  EXPECT_EQ(tables->count(0).bytes, frame.size() - 14);
}

TEST_F(XdpBalancerTest, FlowsStayAndAllBackEndsHaveSome) {
  const auto flows = begin_flows();
  EXPECT_EQ(begin_flows(kAck), flows);
  std::map<std::uint32_t, int> loads;
  for (const auto &[port, back_end] : flows)
    ++loads[back_end];
  for (const std::uint32_t back_end : {1U, 2U, 3U})
    EXPECT_GT(loads[back_end], 60);
}

TEST_F(XdpBalancerTest, ABackEndThatIsTakenOutKeepsItsFlows) {
  const auto flows = begin_flows();
  tables->remove(2, false);
  EXPECT_EQ(begin_flows(kAck), flows);
  for (const auto &[port, back_end] : begin_flows(kSyn)) // other flows with the same ports
    EXPECT_NE(back_end, 2U);
  EXPECT_EQ(tables->back_ends(0), (std::vector<std::uint32_t>{1, 3}));
}

TEST_F(XdpBalancerTest, FlowsOfABackEndThatIsGoneGoToOthers) {
  const auto flows = begin_flows();
  tables->remove(2, true);
  for (const auto &[port, back_end] : begin_flows(kAck))
    if (flows.at(port) == 2)
      EXPECT_NE(back_end, 2U);
    else
      EXPECT_EQ(back_end, flows.at(port));
  tables->add(2, htonl(0x0a00000c));
  EXPECT_EQ(tables->back_ends(1), (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(begin_flows(kSyn), flows) << "rings depend on who is there and on nothing else";
}

TEST_F(XdpBalancerTest, AServiceThatForgetsFollowsItsRing) {
  std::set<std::uint32_t> before;
  std::set<std::uint32_t> after;
  const auto ask_all = [&](std::set<std::uint32_t> &seen) {
    for (std::uint16_t port = 1000; port < 1100; ++port)
      seen.insert(back_end_of(udp({kEnds.source, kService, port, 53})));
  };
  ask_all(before);
  tables->remove(2, false);
  ask_all(after);
  EXPECT_EQ(before, (std::set<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(after, (std::set<std::uint32_t>{1, 3}));
  EXPECT_TRUE(tables->flows().content().empty());
}

TEST_F(XdpBalancerTest, AFlowIsForgottenAfterAWhile) {
  const auto connections = begin_flows();
  tables->load(plan_of("service 192.0.2.1 tcp 80 1 2 3\nservice 192.0.2.1 udp 53 1 2 3\n"));
  const auto ask_all = [&] {
    std::set<std::uint32_t> seen;
    for (std::uint16_t port = 1000; port < 1100; ++port)
      seen.insert(back_end_of(udp({kEnds.source, kService, port, 53})));
    return seen;
  };
  EXPECT_EQ(ask_all(), (std::set<std::uint32_t>{1, 2, 3}));
  tables->remove(2, false);
  EXPECT_EQ(ask_all(), (std::set<std::uint32_t>{1, 2, 3}));
  tables->encapsulation().patience = 0; // every observation is older than the limit
  EXPECT_EQ(ask_all(), (std::set<std::uint32_t>{1, 3}));
  EXPECT_EQ(begin_flows(kAck), connections) << "of TCP until it is forgotten for others";
}

TEST_F(XdpBalancerTest, WhatCodeRemembersHoldsUntilTablesChange) {
  const auto flows = begin_flows();
  sartor::BpfRuntime &runtime = handlers->runtime();
  runtime.instrument({"target"}, 1);
  begin_flows(kAck);
  runtime.instrument({});
  runtime.specialize({{"target", 256}});
  EXPECT_EQ(begin_flows(kAck), flows);
  for (const auto &key : tables->flows().keys<Flow>())
    tables->flows().erase(key); // as if other flows had evicted it
  EXPECT_EQ(begin_flows(kAck), flows);
  EXPECT_EQ(begin_flows(kSyn), flows);
  tables->remove(2, false);
  EXPECT_EQ(begin_flows(kAck), flows) << "they have begun before";
  tables->add(4, htonl(0x0a00000e));
  EXPECT_EQ(begin_flows(kAck), flows);
  const auto others = begin_flows(kSyn);
  EXPECT_NE(others, flows);
  EXPECT_EQ(begin_flows(kAck), others);
}

TEST_F(XdpBalancerTest, WhatIsNotBalanced) {
  const std::string frame = tcp(kEnds, kSyn);
  const std::vector<Expected> all = {
      {"another port", tcp({kEnds.source, kService, 1, 81}, kSyn), XDP_PASS, outcome_no_service},
      {"another address", tcp({kEnds.source, kService + 7, 1, 80}, kSyn), XDP_PASS,
       outcome_no_service},
      {"another protocol", udp(kEnds), XDP_PASS, outcome_no_service},
      {"no back ends", tcp({kEnds.source, kService + 1, 1, 80}, kSyn), XDP_DROP,
       outcome_no_back_end},
      {"too long when wrapped", tcp(kEnds, kAck, 1341), XDP_DROP, outcome_too_big},
      {"to all on the wire", "\xff" + frame.substr(1), XDP_PASS, outcome_local},
      {"tagged", tagged(frame), XDP_PASS, outcome_tagged},
      {"an echo", icmp(kEnds, icmp_echo, 1), XDP_PASS, outcome_other_protocol},
      {"a fragment", as_fragment(frame, 0x2000), XDP_PASS, outcome_fragment},
      {"options", with_options(frame), XDP_PASS, outcome_with_options},
      {"another protocol", with_byte(frame, 9, 47), XDP_PASS, outcome_other_protocol},
      {"ARP", arp(), XDP_PASS, outcome_arp},
      {"IPv6", ipv6(1), XDP_PASS, outcome_ipv6},
      {"bad checksum", with_bad_checksum(frame), XDP_DROP, outcome_bad_checksum},
      {"half a TCP header", frame.substr(0, 44), XDP_DROP, outcome_truncated},
      {"the frame is longer than the packet", with_byte(frame, 3, 30), XDP_DROP, outcome_truncated},
      {"short TCP header", with_byte(frame, 32, 0x40), XDP_DROP, outcome_malformed},
  };
  for (const Expected &each : all)
    handlers->expect("balance", each);
  EXPECT_TRUE(tables->flows().content().empty());
  EXPECT_NE(back_end_of(tcp(kEnds, kAck, 1340)), 0U) << "as long as may be";
}

TEST_F(XdpBalancerTest, WhatComesWhileServicesAreWrittenIsTheKernels) {
  const Variables variables(handlers->runtime().map(".bss"));
  const Change change(variables);
  handlers->expect("balance", {"another port", tcp({kEnds.source, kService, 1, 81}, kSyn), XDP_PASS,
                               outcome_changing});
}

TEST_F(XdpBalancerTest, NumbersOfBackEndsAreChecked) {
  EXPECT_THROW(tables->add(1, 1), std::runtime_error);
  EXPECT_THROW(tables->add(0, 1), std::runtime_error);
  EXPECT_THROW(tables->add(max_back_ends, 1), std::runtime_error);
  EXPECT_THROW(tables->remove(9, true), std::runtime_error);
  EXPECT_THROW(tables->remove(0, true), std::runtime_error);
}

TEST(XdpRingTest, IsEvenAndChangesLittle) {
  std::vector<std::uint32_t> back_ends(20);
  std::iota(back_ends.begin(), back_ends.end(), 1);
  const auto ring = fill_ring(back_ends);
  constexpr int kShare = ring_size / 20;
  for (const std::uint32_t each : back_ends)
    EXPECT_NEAR(static_cast<int>(std::ranges::count(ring, each)), kShare, 1);
  std::vector<std::uint32_t> fewer = back_ends;
  fewer.erase(fewer.begin() + 6);
  const auto after = fill_ring(fewer);
  int moved = 0;
  for (std::size_t i = 0; i < ring.size(); ++i)
    moved += ring[i] != 7 && ring[i] != after[i] ? 1 : 0;
  EXPECT_LT(moved, kShare) << "beside those of the one that went";
  EXPECT_EQ(fill_ring({}), std::vector<std::uint32_t>(ring_size, 0));
}

} // namespace xdp::test
