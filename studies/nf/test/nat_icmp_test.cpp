// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Queries and errors (RFC 5508).
#include <algorithm>
#include <span>

#include "nat_fixture.h"

namespace nf {
namespace {

constexpr std::uint8_t kUnreachable = 3;

class NatIcmp : public NatTest {
protected:
  static Frame query(std::uint32_t from, std::uint32_t to, std::uint16_t identifier,
                     std::uint8_t type = 8) {
    return {.source = from,
            .destination = to,
            .protocol = icmp,
            .icmp_type = type,
            .icmp_rest = static_cast<std::uint32_t>(identifier) << 16U | 7,
            .payload = {1, 2, 3}};
  }
  static Frame error(std::uint32_t from, std::uint32_t to, Bytes payload) {
    return {.source = from,
            .destination = to,
            .protocol = icmp,
            .icmp_type = kUnreachable,
            .icmp_code = 4,
            .icmp_rest = 1400,
            .payload = std::move(payload)};
  }
};

TEST_F(NatIcmp, MapsQueriesByIdentifier) {
  const auto left = leave(query(host, remote, 77));
  ASSERT_TRUE(left);
  EXPECT_EQ(left->source, ours);
  EXPECT_EQ(left->icmp_rest, 77U << 16U | 7);
  const auto second_one = leave(query(other_host, remote, 77));
  ASSERT_TRUE(second_one);
  const auto identifier = static_cast<std::uint16_t>(second_one->icmp_rest >> 16U);
  EXPECT_NE(identifier, 77);
  const auto came = enter(query(remote, ours, identifier, 0));
  ASSERT_TRUE(came);
  EXPECT_EQ(came->destination, other_host);
  EXPECT_EQ(came->icmp_rest, 77U << 16U | 7);
  now_ += 60 * second;
  EXPECT_FALSE(enter(query(remote, ours, identifier, 0)));
  expect_consistent();
}

TEST_F(NatIcmp, LetsNoQueriesInAndNoAnswersOut) {
  leave(query(host, remote, 77));
  EXPECT_FALSE(enter(query(remote, ours, 77)));
  EXPECT_FALSE(leave(query(host, remote, 78, 0)));
  EXPECT_FALSE(leave({.source = host, .destination = remote, .protocol = icmp, .icmp_type = 5}));
  EXPECT_EQ(count(nat_no_mapping), 2U);
  EXPECT_EQ(count(nat_protocol), 1U);
}

/// Errors about UDP with and without a checksum, about TCP, and about a query; whole and truncated.
TEST_F(NatIcmp, TranslatesErrorsThatComeFromOutside) {
  port_of(other_host, 5000);
  const Frame about[] = {{.source = host,
                          .destination = remote,
                          .protocol = udp,
                          .source_port = 5000,
                          .destination_port = 53,
                          .payload = {1, 2, 3, 4, 5}},
                         {.source = host,
                          .destination = remote,
                          .protocol = udp,
                          .source_port = 5000,
                          .destination_port = 53,
                          .payload = {1, 2},
                          .has_udp_checksum = false},
                         {.source = host,
                          .destination = remote,
                          .protocol = tcp,
                          .source_port = 5000,
                          .destination_port = 53,
                          .tcp_flags = 2,
                          .options = {1, 1, 1, 1},
                          .payload = {9}},
                         query(host, remote, 77)};
  for (const Frame &one : about)
    for (const std::size_t most : {548, 33}) {
      const auto left = leave(one);
      ASSERT_TRUE(left);
      const std::size_t kept = most + one.options.size();
      const auto came = enter(error(other_remote, ours, quoted(*left, kept)));
      ASSERT_TRUE(came);
      EXPECT_EQ(came->source, other_remote);
      EXPECT_EQ(came->destination, host);
      Frame wanted = one;
      wanted.ttl = left->ttl;
      EXPECT_EQ(came->payload, quoted(wanted, kept));
      if (most > 500)
        EXPECT_TRUE(has_right_checksums(unquoted(*came)));
    }
  EXPECT_EQ(count(nat_error_translated), 8U);
}

// Bytes behind the packet in a frame are not part of the checksum, and are kept.
TEST_F(NatIcmp, TranslatesErrorsInFramesThatAreLonger) {
  const Frame about{.source = host,
                    .destination = remote,
                    .protocol = tcp,
                    .source_port = 5000,
                    .destination_port = 53};
  port_of(other_host, 5000);
  const auto left = leave(about);
  ASSERT_TRUE(left);
  for (const std::size_t kept : {28, 36, 37}) {
    Bytes bytes = bytes_of(error(other_remote, ours, quoted(*left, kept)));
    bytes.insert(bytes.end(), 20, 0xee);
    io_.put(nf_external, bytes);
    nat_poll(&io_.io(), nf_external);
    const Sent sent = io_.take().at(0);
    ASSERT_EQ(sent.verdict, nf_pass_on);
    EXPECT_TRUE(has_right_checksums(sent.bytes));
    EXPECT_TRUE(std::ranges::equal(std::span(sent.bytes).last(20), std::span(bytes).last(20)));
    // Too short without these bytes.
    bytes = bytes_of(error(other_remote, ours, quoted(*left, 27)));
    bytes.insert(bytes.end(), 20, 0xee);
    EXPECT_FALSE(put(nf_external, bytes));
  }
}

TEST_F(NatIcmp, TranslatesErrorsThatComeFromInside) {
  const auto left =
      leave({.source = host, .destination = remote, .source_port = 700, .destination_port = 53});
  const Frame answer{.source = remote,
                     .destination = ours,
                     .source_port = 53,
                     .destination_port = left->source_port,
                     .payload = {1, 2, 3}};
  const auto came = enter(answer);
  ASSERT_TRUE(came);
  const auto reported = leave(error(other_host, remote, quoted(*came)));
  ASSERT_TRUE(reported);
  EXPECT_EQ(reported->source, ours);
  EXPECT_EQ(reported->destination, remote);
  Frame wanted = answer;
  wanted.ttl = came->ttl;
  EXPECT_EQ(reported->payload, quoted(wanted));
}

TEST_F(NatIcmp, HairpinsErrors) {
  const std::uint16_t port = port_of(host, 5000);
  const Frame first{
      .source = other_host, .destination = ours, .source_port = 700, .destination_port = port};
  const auto came = leave(first);
  ASSERT_TRUE(came);
  const auto reported = leave(error(host, ours, quoted(*came)));
  ASSERT_TRUE(reported);
  EXPECT_EQ(verdict(), nf_return);
  EXPECT_EQ(reported->source, ours);
  EXPECT_EQ(reported->destination, other_host);
  Frame wanted = first;
  wanted.ttl = came->ttl;
  EXPECT_EQ(reported->payload, quoted(wanted));
}

TEST_F(NatIcmp, TranslatesErrorsAboutForwards) {
  const Frame answer{.source = other_host,
                     .destination = remote,
                     .protocol = tcp,
                     .source_port = 8443,
                     .destination_port = 1000};
  const auto left = leave(answer);
  const auto came = enter(error(remote, ours, quoted(*left)));
  ASSERT_TRUE(came);
  EXPECT_EQ(came->destination, other_host);
}

TEST_F(NatIcmp, DropsErrorsAboutNobody) {
  const Frame unknown{.source = ours, .destination = remote, .source_port = 5000};
  EXPECT_FALSE(enter(error(remote, ours, quoted(unknown))));
  const Frame to_nobody{.source = remote, .destination = host, .source_port = 5000};
  EXPECT_FALSE(leave(error(host, remote, quoted(to_nobody))));
  EXPECT_EQ(count(nat_no_mapping), 2U);
  EXPECT_EQ(nat_state.inside.count, 0U);
}

TEST_F(NatIcmp, DropsErrorsThatCannotBe) {
  const auto left =
      leave({.source = host, .destination = remote, .source_port = 5000, .payload = {1, 2, 3, 4}});
  const Frame good = error(remote, ours, quoted(*left));
  const auto spoil = [&](std::size_t at) { // without a new checksum
    Bytes bytes = bytes_of(good);
    bytes[at] ^= 1U;
    return put(nf_external, bytes).has_value();
  };
  const std::size_t inner = at_ip + 20 + 8;
  EXPECT_FALSE(spoil(inner + 20 + 8));
  const auto change = [&](std::size_t at, std::uint8_t value) { // with a new checksum
    Frame frame = good;
    frame.payload[at] = value;
    return enter(frame).has_value();
  };
  EXPECT_FALSE(change(0, 0x65)); // another version
  EXPECT_FALSE(change(0, 0x44)); // a header that is too short
  EXPECT_FALSE(change(0, 0x4f)); // a header beyond the end
  EXPECT_FALSE(change(8, 1));    // the header's checksum
  EXPECT_FALSE(change(7, 1));    // a later fragment
  EXPECT_FALSE(change(9, 47));   // another protocol
  EXPECT_FALSE(enter(error(remote, ours, quoted(*left, 27))));
  EXPECT_FALSE(enter(error(remote, ours, {})));
  Frame elsewhere = *left;
  elsewhere.source = remote; // about a packet of another host than the receiver
  EXPECT_FALSE(enter(error(remote, ours, quoted(elsewhere))));
  const Frame of_error = error(ours, remote, {1, 2, 3, 4});
  EXPECT_FALSE(enter(error(remote, ours, quoted(of_error))));
  Frame large = *left;
  large.payload.resize(1500);
  EXPECT_FALSE(enter(error(remote, ours, quoted(large, 1500))));
  EXPECT_EQ(count(nat_bad_error), 12U);
  EXPECT_TRUE(enter(good));
}

} // namespace
} // namespace nf
