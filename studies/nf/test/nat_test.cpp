// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Mappings: their use and lifetime (RFC 4787), and refused packets.
#include <set>

#include "nat_fixture.h"

namespace nf {
namespace {

TEST_F(NatTest, TranslatesBothWays) {
  const Frame out{.source = host,
                  .destination = remote,
                  .source_port = 5000,
                  .destination_port = 53,
                  .payload = {1, 2, 3}};
  const auto left = leave(out);
  ASSERT_TRUE(left);
  EXPECT_EQ(verdict(), nf_pass_on);
  EXPECT_EQ(left->source, ours);
  EXPECT_EQ(left->source_port, 5000);
  EXPECT_EQ(left->destination, remote);
  EXPECT_EQ(left->destination_port, 53);
  EXPECT_EQ(left->ttl, 63);
  EXPECT_EQ(left->payload, out.payload);
  EXPECT_EQ(left->to, (Mac{2, 0, 0, 0, 1, 1}));
  EXPECT_EQ(left->from, (Mac{2, 0, 0, 0, 1, 2}));
  const auto came =
      enter({.source = remote, .destination = ours, .source_port = 53, .destination_port = 5000});
  ASSERT_TRUE(came);
  EXPECT_EQ(verdict(), nf_pass_on);
  EXPECT_EQ(came->destination, host);
  EXPECT_EQ(came->destination_port, 5000);
  EXPECT_EQ(came->source, remote);
  EXPECT_EQ(came->to, (Mac{2, 0, 0, 0, 2, 1}));
  EXPECT_EQ(count(nat_outbound), 1U);
  EXPECT_EQ(count(nat_inbound), 1U);
  expect_consistent();
}

TEST_F(NatTest, MapsIndependentlyOfTheRemoteEndpoint) {
  const std::uint16_t port = port_of(host, 5000);
  EXPECT_EQ(port_of(host, 5000, other_remote), port);
  EXPECT_EQ(nat_state.inside.count, 1U);
}

TEST_F(NatTest, NeverGivesAnEndpointTwiceAndKeepsParity) {
  std::set<std::uint16_t> ports;
  for (std::uint32_t i = 0; i < 200; ++i) {
    const std::uint16_t wanted = i % 2 ? 5001 : 5000;
    const std::uint16_t port = port_of(host + 0x100 * i, wanted);
    EXPECT_GE(port, 1024);
    EXPECT_EQ(port % 2, wanted % 2);
    EXPECT_TRUE(ports.insert(port).second) << port;
  }
  expect_consistent();
}

TEST_F(NatTest, PreservesPortsOnlyInItsRange) {
  nat_config.least_port = 20'000;
  nat_config.most_port = 20'999;
  EXPECT_EQ(port_of(host, 20'500), 20'500);
  const std::uint16_t port = port_of(host, 19'999);
  EXPECT_GE(port, 20'000);
  EXPECT_LE(port, 20'999);
  EXPECT_EQ(port % 2, 1);
}

TEST_F(NatTest, GivesAHostOneAddress) {
  nat_config.address_count = 4;
  for (std::uint32_t i = 0; i < 4; ++i)
    nat_config.addresses[i] = turned(ours + i);
  std::set<std::uint32_t> all;
  for (std::uint32_t i = 0; i < 32; ++i) {
    std::set<std::uint32_t> of_host;
    for (std::uint16_t port = 6000; port < 6010; ++port)
      of_host.insert(
          leave({.source = host + i, .destination = remote, .source_port = port})->source);
    EXPECT_EQ(of_host.size(), 1U);
    all.merge(of_host);
  }
  EXPECT_EQ(all.size(), 4U);
}

TEST_F(NatTest, FiltersByNothingOrByAddress) {
  const std::uint16_t port = port_of(host, 5000);
  EXPECT_TRUE(answers(port));
  EXPECT_TRUE(answers(port, other_remote));
  nat_config.by_address = 1;
  EXPECT_FALSE(answers(port)); // no contact has been recorded yet
  port_of(host, 5000);
  EXPECT_TRUE(answers(port));
  EXPECT_TRUE(answers(port, remote, 54)); // any port
  EXPECT_FALSE(answers(port, other_remote));
  EXPECT_EQ(count(nat_filtered), 2U);
  port_of(host, 5000, other_remote);
  EXPECT_TRUE(answers(port, other_remote));
  now_ += 200 * second;
  port_of(host, 5000);
  now_ += 100 * second;
  EXPECT_TRUE(answers(port));
  EXPECT_FALSE(answers(port, other_remote)); // too long ago
}

TEST_F(NatTest, KeepsAMappingAsLongAsItIsUsedFromInside) {
  const std::uint16_t port = port_of(host, 5000);
  now_ += 300 * second - 1;
  EXPECT_TRUE(answers(port)); // which does not refresh it
  port_of(host, 5000);
  now_ += 300 * second - 1;
  EXPECT_TRUE(answers(port));
  now_ += 1;
  EXPECT_FALSE(answers(port));
  EXPECT_EQ(count(nat_no_mapping), 1U);
  EXPECT_EQ(nat_state.inside.count, 0U);
  expect_consistent();
}

TEST_F(NatTest, GivesAnEndpointThatIsOverToAnother) {
  EXPECT_EQ(port_of(host, 5000), 5000);
  now_ += 300 * second;
  EXPECT_EQ(port_of(other_host, 5000), 5000);
  EXPECT_EQ(enter({.source = remote, .destination = ours, .destination_port = 5000})->destination,
            other_host);
  expect_consistent();
}

TEST_F(NatTest, SweepsWhatIsOver) {
  nat_config.by_address = 1;
  port_of(host, 5000);
  now_ += 100 * second;
  port_of(host, 5001);
  nat_sweep(now_ + 200 * second - 1, 4096);
  EXPECT_EQ(nat_state.inside.count, 2U);
  nat_sweep(now_ + 200 * second, 4096);
  EXPECT_EQ(nat_state.inside.count, 1U);
  EXPECT_EQ(nat_state.peers.count, 1U);
  expect_consistent();
  EXPECT_TRUE(answers(5001));
}

TEST_F(NatTest, ReportsWhenNoPortIsFree) {
  nat_config.least_port = 5000;
  nat_config.most_port = 5003;
  unsigned given = 0;
  for (std::uint32_t i = 0; i < 100; ++i)
    given += port_of(host + i, 5000) != 0;
  EXPECT_EQ(given, 2U); // of the even ports
  EXPECT_EQ(count(nat_no_port), 98U);
  now_ += 300 * second;
  EXPECT_NE(port_of(host + 99, 5000), 0);
}

TEST_F(NatTest, DropsWhatItHasNoRoomFor) {
  nat_forget(1); // 32 slots; the window of each port also contains those of others
  unsigned given = 0;
  for (std::uint32_t i = 0; i < 200; ++i)
    given += port_of(host + i, static_cast<std::uint16_t>(5000 + i)) != 0;
  EXPECT_GT(given, 20U);
  EXPECT_LE(given, 64U);
  EXPECT_EQ(count(nat_table_full), 200 - given);
  expect_consistent();
}

TEST_F(NatTest, Hairpins) {
  const std::uint16_t port = port_of(host, 5000);
  const auto came = leave(
      {.source = other_host, .destination = ours, .source_port = 7000, .destination_port = port});
  ASSERT_TRUE(came);
  EXPECT_EQ(verdict(), nf_return);
  EXPECT_EQ(came->source, ours);
  EXPECT_EQ(came->source_port, 7000);
  EXPECT_EQ(came->destination, host);
  EXPECT_EQ(came->destination_port, 5000);
  EXPECT_EQ(came->to, (Mac{2, 0, 0, 0, 2, 1}));
  EXPECT_EQ(came->ttl, 63);
  EXPECT_EQ(count(nat_hairpinned), 1U);
  EXPECT_FALSE(leave({.source = host, .destination = ours, .destination_port = 9999}));
}

TEST_F(NatTest, Forwards) {
  const auto came = enter({.source = remote,
                           .destination = ours,
                           .protocol = tcp,
                           .source_port = 1000,
                           .destination_port = 443,
                           .tcp_flags = 2});
  ASSERT_TRUE(came);
  EXPECT_EQ(came->destination, other_host);
  EXPECT_EQ(came->destination_port, 8443);
  const auto left = leave({.source = other_host,
                           .destination = remote,
                           .protocol = tcp,
                           .source_port = 8443,
                           .destination_port = 1000,
                           .tcp_flags = 0x12});
  ASSERT_TRUE(left);
  EXPECT_EQ(left->source_port, 443);
  EXPECT_EQ(nat_state.inside.count, 0U);
  EXPECT_EQ(leave({.source = host,
                   .destination = ours,
                   .protocol = tcp,
                   .source_port = 1,
                   .destination_port = 443})
                ->destination,
            other_host);
  // The same port of another protocol is not forwarded, and no other mapping gets the forwarded
  // port.
  EXPECT_FALSE(enter({.source = remote, .destination = ours, .destination_port = 443}));
  nat_config.least_port = 1;
  EXPECT_NE(leave({.source = host, .destination = remote, .protocol = tcp, .source_port = 443})
                ->source_port,
            443);
}

TEST_F(NatTest, LeavesChecksumsThatAreNotThere) {
  const auto left =
      leave({.source = host, .destination = remote, .source_port = 1, .has_udp_checksum = false});
  EXPECT_FALSE(left->has_udp_checksum);
}

// The checksum of a datagram that computes to 0 is written as 0xffff.
TEST_F(NatTest, NeverTakesAChecksumAway) {
  for (std::uint32_t number = 0; number <= 0xffff; number += 1) {
    Frame frame{.source = host, .destination = remote, .source_port = 5000};
    frame.payload = {static_cast<std::uint8_t>(number >> 8U), static_cast<std::uint8_t>(number)};
    const Bytes bytes = bytes_of(frame);
    io_.put(nf_internal, bytes);
    nat_poll(&io_.io(), nf_internal);
    const Sent sent = io_.take().at(0);
    const std::size_t at = at_ip + 20 + 6;
    ASSERT_NE(sent.bytes[at] << 8U | sent.bytes[at + 1], 0) << number;
    ASSERT_TRUE(has_right_checksums(sent.bytes)) << number;
  }
}

TEST_F(NatTest, KeepsAWrongChecksumWrong) {
  Bytes bytes = bytes_of({.source = host, .destination = remote, .payload = {1, 2}});
  bytes[at_ip + 28] ^= 1U;
  io_.put(nf_internal, bytes);
  nat_poll(&io_.io(), nf_internal);
  const Sent sent = io_.take().at(0);
  EXPECT_EQ(sent.verdict, nf_pass_on);
  EXPECT_FALSE(has_right_checksums(sent.bytes));
}

TEST_F(NatTest, DropsWhatHasNoTimeLeft) {
  EXPECT_TRUE(leave({.source = host, .destination = remote, .ttl = 2}));
  EXPECT_FALSE(leave({.source = host, .destination = remote, .ttl = 1}));
  EXPECT_FALSE(leave({.source = host, .destination = remote, .ttl = 0}));
  EXPECT_EQ(count(nat_ttl_exceeded), 2U);
}

TEST_F(NatTest, RefusesForeignAddresses) {
  EXPECT_FALSE(leave({.source = remote, .destination = other_remote}));
  EXPECT_FALSE(enter({.source = remote, .destination = other_remote}));
  EXPECT_FALSE(enter({.source = host, .destination = ours, .destination_port = 443}));
  EXPECT_EQ(count(nat_foreign), 3U);
}

TEST_F(NatTest, LeavesToTheHostWhatIsForIt) {
  for (const std::uint32_t local : {other_host, 0xffffffffU, 0xe00000fbU, 0U}) {
    leave({.source = host, .destination = local});
    EXPECT_EQ(verdict(), nf_keep);
  }
  EXPECT_EQ(count(nat_local), 4U);
  Bytes arp = bytes_of({});
  arp[13] = 6;
  io_.put(nf_external, arp);
  nat_poll(&io_.io(), nf_external);
  EXPECT_EQ(io_.take().at(0).verdict, nf_keep);
  EXPECT_EQ(count(nat_other), 1U);
}

TEST_F(NatTest, DropsOtherProtocolsAndWhatIsBroken) {
  EXPECT_FALSE(leave({.source = host, .destination = remote, .protocol = 47}));
  EXPECT_EQ(count(nat_protocol), 1U);
  const Bytes bytes = bytes_of({.source = host, .destination = remote});
  for (std::size_t size = 0; size < 42; ++size)
    EXPECT_FALSE(put(nf_internal, Bytes(bytes.begin(), bytes.begin() + static_cast<long>(size))));
  EXPECT_EQ(count(nat_broken), 42U);
}

} // namespace
} // namespace nf
