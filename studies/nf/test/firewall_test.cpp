// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which flows may begin, which packets belong to them, and for how long.
#include "firewall_fixture.h"

namespace nf {
namespace {

TEST_F(FirewallTest, LetsAnswersInAndNothingElse) {
  EXPECT_FALSE(in(udp));
  EXPECT_EQ(count(firewall_denied), 1U);
  EXPECT_TRUE(out(udp));
  EXPECT_EQ(count(firewall_begun), 1U);
  EXPECT_TRUE(in(udp));
  EXPECT_EQ(count(firewall_known), 1U);
  EXPECT_FALSE(in(tcp, kSyn));
  EXPECT_FALSE(put(
      nf_external,
      {.source = remote + 1, .destination = host, .source_port = 80, .destination_port = 5000}));
  EXPECT_FALSE(
      put(nf_external,
          {.source = remote, .destination = host, .source_port = 81, .destination_port = 5000}));
  EXPECT_EQ(firewall_state.flows.count, 1U);
}

TEST_F(FirewallTest, ChangesNothingOfWhatPasses) {
  const Bytes bytes = bytes_of(flow(nf_internal, udp));
  io_.put(nf_internal, bytes);
  firewall_poll(&io_.io(), nf_internal);
  const Sent sent = io_.take().at(0);
  EXPECT_EQ(sent.verdict, nf_pass_on);
  EXPECT_EQ(sent.bytes, bytes);
}

TEST_F(FirewallTest, AsksTheFirstRuleThatFits) {
  allow({.source = 0,
         .source_mask = 0,
         .destination = turned(host),
         .destination_mask = ~0U,
         .first_port = 4999,
         .last_port = 5000,
         .protocol = tcp,
         .side = nf_external,
         .allows = 1,
         .zero = 0});
  EXPECT_TRUE(in(tcp, kSyn));
  EXPECT_TRUE(out(tcp, kSyn | kAck));
  EXPECT_FALSE(in(udp));
  EXPECT_FALSE(put(nf_external, {.source = remote,
                                 .destination = host,
                                 .protocol = tcp,
                                 .destination_port = 5001,
                                 .tcp_flags = kSyn}));
  EXPECT_FALSE(put(nf_external, {.source = remote,
                                 .destination = host + 1,
                                 .protocol = tcp,
                                 .destination_port = 5000,
                                 .tcp_flags = kSyn}));
  FirewallRule deny = firewall_config.rules[0];
  deny.allows = 0;
  deny.source = turned(remote);
  deny.source_mask = ~0U;
  firewall_config.rules[1] = firewall_config.rules[0];
  firewall_config.rules[0] = deny;
  firewall_config.count = 2;
  EXPECT_TRUE(in(tcp, kAck)); // the flow has begun
  EXPECT_FALSE(put(nf_external, {.source = remote,
                                 .destination = host,
                                 .protocol = tcp,
                                 .source_port = 81,
                                 .destination_port = 5000,
                                 .tcp_flags = kSyn}));
  EXPECT_TRUE(put(nf_external, {.source = remote + 1,
                                .destination = host,
                                .protocol = tcp,
                                .destination_port = 5000,
                                .tcp_flags = kSyn}));
}

TEST_F(FirewallTest, RefusesFlowsFromInsideByRule) {
  allow({.source = turned(host),
         .source_mask = ~0U,
         .destination = 0,
         .destination_mask = 0,
         .first_port = 0,
         .last_port = 0xffff,
         .protocol = 0,
         .side = nf_internal,
         .allows = 0,
         .zero = 0});
  EXPECT_FALSE(out(udp));
  EXPECT_FALSE(put(nf_internal, {.source = host, .destination = remote, .protocol = 47}));
  EXPECT_TRUE(put(nf_internal, {.source = host + 1, .destination = remote}));
}

TEST_F(FirewallTest, BeginsConnectionsWithASyn) {
  EXPECT_FALSE(out(tcp, kAck));
  EXPECT_FALSE(out(tcp, kSyn | kAck));
  EXPECT_FALSE(out(tcp, kReset));
  EXPECT_FALSE(out(tcp, kSyn | kReset));
  EXPECT_FALSE(out(tcp, kSyn | kFin));
  EXPECT_EQ(count(firewall_not_begun), 5U);
  EXPECT_TRUE(out(tcp, kSyn));
}

TEST_F(FirewallTest, FollowsConnections) {
  EXPECT_TRUE(out(tcp, kSyn));
  EXPECT_TRUE(lasts(120, tcp));
  EXPECT_TRUE(out(tcp, kSyn));
  EXPECT_TRUE(in(tcp, kSyn | kAck));
  EXPECT_TRUE(lasts(7440, tcp));
  EXPECT_TRUE(out(tcp, kSyn));
  EXPECT_TRUE(in(tcp, kSyn | kAck));
  EXPECT_TRUE(out(tcp, kFin));
  EXPECT_TRUE(in(tcp, kFin));
  EXPECT_TRUE(lasts(240, tcp));
  EXPECT_TRUE(out(tcp, kSyn));
  EXPECT_TRUE(in(tcp, kReset));
  now_ += 240 * second;
  EXPECT_FALSE(in(tcp, kAck));
}

TEST_F(FirewallTest, DoesNotBelieveAResetAtOnceAndLetsWhatIsClosedBeginAnew) {
  EXPECT_TRUE(out(tcp, kSyn));
  EXPECT_TRUE(in(tcp, kSyn | kAck));
  EXPECT_TRUE(in(tcp, kReset));
  EXPECT_TRUE(out(tcp, kAck));
  EXPECT_TRUE(lasts(7440, tcp));
  EXPECT_TRUE(out(tcp, kSyn));
  EXPECT_TRUE(in(tcp, kReset));
  EXPECT_FALSE(in(tcp, kSyn)); // this would be a flow from outside
  EXPECT_EQ(count(firewall_begun), 2U);
  EXPECT_TRUE(out(tcp, kSyn));
  EXPECT_EQ(count(firewall_begun), 3U);
}

TEST_F(FirewallTest, KeepsDatagramsLongerOnceTheyAreAnswered) {
  EXPECT_TRUE(out(udp));
  EXPECT_TRUE(lasts(30, udp, false));
  EXPECT_TRUE(out(udp));
  EXPECT_TRUE(in(udp));
  EXPECT_TRUE(lasts(300, udp));
}

TEST_F(FirewallTest, KnowsProtocolsWithoutPorts) {
  EXPECT_FALSE(in(47));
  EXPECT_TRUE(out(47));
  EXPECT_TRUE(in(47));
  EXPECT_FALSE(in(50));
}

TEST_F(FirewallTest, LetsAnswersToQueriesIn) {
  Frame answer = flow(nf_external, icmp);
  answer.icmp_type = 0;
  EXPECT_FALSE(put(nf_external, answer));
  EXPECT_EQ(count(firewall_not_begun), 1U);
  EXPECT_TRUE(out(icmp));
  EXPECT_TRUE(put(nf_external, answer));
  EXPECT_FALSE(in(icmp)); // a query with its identifier
  answer.icmp_rest ^= 0x10000;
  EXPECT_FALSE(put(nf_external, answer));
  answer.icmp_type = 5;
  EXPECT_FALSE(put(nf_external, answer));
  EXPECT_EQ(count(firewall_icmp), 1U);
}

TEST_F(FirewallTest, LetsErrorsInThatBelongToAFlow) {
  for (const std::uint8_t protocol : {tcp, udp, icmp}) {
    const Frame about = flow(nf_internal, protocol, kSyn);
    Frame error{.source = remote + 1,
                .destination = host,
                .protocol = icmp,
                .icmp_type = 3,
                .payload = quoted(about, 28)};
    EXPECT_FALSE(put(nf_external, error));
    EXPECT_TRUE(put(nf_internal, about));
    EXPECT_TRUE(put(nf_external, error));
    Bytes bytes = bytes_of(error);
    bytes[at_ip + 21] ^= 1U;
    io_.put(nf_external, bytes);
    firewall_poll(&io_.io(), nf_external);
    EXPECT_EQ(io_.take().at(0).verdict, nf_drop);
    error.payload.resize(27);
    EXPECT_FALSE(put(nf_external, error));
  }
  EXPECT_EQ(count(firewall_related), 3U);
  EXPECT_EQ(count(firewall_unrelated), 9U);
  // An error from inside about a packet that has come in.
  EXPECT_TRUE(put(nf_internal, {.source = host,
                                .destination = remote,
                                .protocol = icmp,
                                .icmp_type = 3,
                                .payload = quoted(flow(nf_external, udp))}));
  now_ += 30 * second;
  EXPECT_FALSE(put(nf_external, {.source = remote,
                                 .destination = host,
                                 .protocol = icmp,
                                 .icmp_type = 3,
                                 .payload = quoted(flow(nf_internal, udp))}));
}

TEST_F(FirewallTest, DropsFlowsThatItHasNoRoomFor) {
  firewall_flows_free(&firewall_state.flows);
  ASSERT_TRUE(firewall_flows_make(&firewall_state.flows, 1, 7));
  unsigned passed = 0;
  for (std::uint32_t i = 0; i < 100; ++i)
    passed += put(nf_internal, {.source = host + i, .destination = remote}) ? 1 : 0;
  EXPECT_EQ(passed, 32U);
  EXPECT_EQ(count(firewall_table_full), 68U);
  firewall_sweep(now_ + 30 * second, 32);
  EXPECT_EQ(firewall_state.flows.count, 0U);
}

TEST_F(FirewallTest, SweepsOnlyWhatIsOver) {
  out(udp);
  out(tcp, kSyn);
  firewall_sweep(now_ + 30 * second - 1, 4096);
  EXPECT_EQ(firewall_state.flows.count, 2U);
  firewall_sweep(now_ + 30 * second, 4096);
  EXPECT_EQ(firewall_state.flows.count, 1U);
}

TEST_F(FirewallTest, EndsFlowsThatMayNotBeginAnyMore) {
  FirewallConfig config = firewall_config;
  config.rules[0] = {.source = turned(host),
                     .source_mask = ~0U,
                     .destination = 0,
                     .destination_mask = 0,
                     .first_port = 0,
                     .last_port = 0xffff,
                     .protocol = udp,
                     .side = nf_internal,
                     .allows = 0,
                     .zero = 0};
  config.count = 1;
  EXPECT_TRUE(out(udp));
  EXPECT_TRUE(out(tcp, kSyn));
  firewall_take(config);
  EXPECT_FALSE(in(udp));
  EXPECT_TRUE(in(tcp, kSyn | kAck));
}

TEST_F(FirewallTest, LetsNothingByThatItDoesNotUnderstand) {
  Bytes frame = bytes_of({.source = host, .destination = remote});
  const auto drops = [&](Bytes bytes) {
    io_.put(nf_internal, std::move(bytes));
    firewall_poll(&io_.io(), nf_internal);
    return io_.take().at(0).verdict == nf_drop;
  };
  for (std::size_t size = 0; size < 42; ++size)
    EXPECT_TRUE(drops(Bytes(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(size))));
  EXPECT_EQ(count(firewall_broken), 42U);
  frame[12] = 0x86;
  frame[13] = 0xdd;
  EXPECT_TRUE(drops(frame)); // IPv6
  EXPECT_EQ(count(firewall_other), 1U);
  frame[12] = 0x08;
  frame[13] = 0x06;
  EXPECT_FALSE(drops(frame)); // ARP
  EXPECT_EQ(count(firewall_arp), 1U);
}

} // namespace
} // namespace nf
