// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Fragmented datagrams: later fragments follow the first one.
#include "firewall_fixture.h"
#include "nat_fixture.h"

namespace nf {
namespace {

constexpr std::uint16_t kFirst = 0x2000;
constexpr std::uint16_t kMiddle = 0x2000 | 10;
constexpr std::uint16_t kLast = 20;

/// The frame with another identification.
Bytes other_datagram(const Frame &frame) {
  Bytes bytes = bytes_of(frame);
  bytes[at_ip + 4] = 1;
  bytes[at_ip + 10] -= 1; // adjusts its checksum
  return bytes;
}

class NatFragments : public NatTest {
protected:
  static Frame out(std::uint16_t fragment) {
    return {.source = host,
            .destination = remote,
            .source_port = 5000,
            .destination_port = 53,
            .fragment = fragment,
            .payload = Bytes(72)};
  }
  static Frame in(std::uint16_t fragment) {
    return {.source = remote,
            .destination = ours,
            .source_port = 53,
            .destination_port = 5000,
            .fragment = fragment,
            .payload = Bytes(72)};
  }
};

TEST_F(NatFragments, GoTheWayOfTheFirst) {
  ASSERT_TRUE(leave(out(kFirst)));
  for (const std::uint16_t fragment : {kMiddle, kLast}) {
    const auto left = leave(out(fragment));
    ASSERT_TRUE(left);
    EXPECT_EQ(left->source, ours);
    EXPECT_EQ(left->destination, remote);
    EXPECT_EQ(left->fragment, fragment);
    EXPECT_EQ(left->ttl, 63);
    EXPECT_EQ(left->to, (Mac{2, 0, 0, 0, 1, 1}));
    EXPECT_EQ(left->source_port, 5000); // in a later fragment, these are ordinary data
  }
  ASSERT_TRUE(enter(in(kFirst)));
  EXPECT_EQ(enter(in(kLast))->destination, host);
  EXPECT_EQ(count(nat_fragment_translated), 3U);
}

TEST_F(NatFragments, AreDroppedBeforeTheFirstAndWithoutIt) {
  EXPECT_FALSE(leave(out(kLast)));
  EXPECT_FALSE(enter(in(kFirst))); // there is no such flow
  EXPECT_FALSE(enter(in(kLast)));
  ASSERT_TRUE(leave(out(kFirst)));
  EXPECT_FALSE(put(nf_internal, other_datagram(out(kLast))));
  EXPECT_FALSE(enter(in(kLast)));
  EXPECT_EQ(count(nat_fragment), 4U);
  EXPECT_FALSE(leave({.source = host, .destination = remote, .ttl = 1, .fragment = kLast}));
  EXPECT_EQ(count(nat_ttl_exceeded), 1U);
}

TEST_F(NatFragments, AreForgotten) {
  ASSERT_TRUE(leave(out(kFirst)));
  now_ += NF_FRAGMENT_TIMEOUT - 1;
  EXPECT_TRUE(leave(out(kLast)));
  nat_sweep(now_, 4096);
  EXPECT_EQ(nat_state.fragments.count, 1U);
  now_ += 1;
  EXPECT_FALSE(leave(out(kLast)));
  nat_sweep(now_, 4096);
  EXPECT_EQ(nat_state.fragments.count, 0U);
  ASSERT_TRUE(leave(out(kFirst)));
  nat_take(nat_config);
  EXPECT_FALSE(leave(out(kLast)));
}

TEST_F(NatFragments, Hairpin) {
  const std::uint16_t port = port_of(host, 5000);
  Frame frame{.source = other_host,
              .destination = ours,
              .source_port = 7000,
              .destination_port = port,
              .fragment = kFirst};
  ASSERT_TRUE(leave(frame));
  frame.fragment = kLast;
  const auto came = leave(frame);
  ASSERT_TRUE(came);
  EXPECT_EQ(verdict(), nf_return);
  EXPECT_EQ(came->source, ours);
  EXPECT_EQ(came->destination, host);
  EXPECT_EQ(came->to, (Mac{2, 0, 0, 0, 2, 1}));
}

TEST_F(NatFragments, AreOnTheirOwnWhereThereIsNoRoom) {
  nat_fragments_free(&nat_state.fragments);
  ASSERT_TRUE(nat_fragments_make(&nat_state.fragments, 1, 7));
  unsigned first = 0;
  unsigned later = 0;
  for (std::uint32_t i = 0; i < 100; ++i) {
    Frame frame = out(kFirst);
    frame.destination += i;
    first += leave(frame) ? 1 : 0;
    frame.fragment = kLast;
    later += leave(frame) ? 1 : 0;
  }
  EXPECT_EQ(first, 100U);
  EXPECT_EQ(later, 32U);
}

class FirewallFragments : public FirewallTest {};

TEST_F(FirewallFragments, PassWhereTheFirstHas) {
  Frame frame = flow(nf_internal, udp);
  const auto passes = [&](NfSide side, std::uint16_t fragment) {
    frame.fragment = fragment;
    return put(side, frame);
  };
  EXPECT_FALSE(passes(nf_internal, kLast));
  EXPECT_TRUE(passes(nf_internal, kFirst));
  EXPECT_TRUE(passes(nf_internal, kMiddle));
  EXPECT_TRUE(passes(nf_internal, kLast));
  EXPECT_FALSE(passes(nf_external, kLast));
  EXPECT_EQ(count(firewall_known_fragment), 2U);
  EXPECT_EQ(count(firewall_fragment), 2U);
  frame = flow(nf_external, tcp);
  EXPECT_FALSE(passes(nf_external, kFirst));
  EXPECT_FALSE(passes(nf_external, kLast));
  now_ += NF_FRAGMENT_TIMEOUT;
  frame = flow(nf_internal, udp);
  EXPECT_FALSE(passes(nf_internal, kLast));
  firewall_sweep(now_, 4096);
  EXPECT_EQ(firewall_state.fragments.count, 0U);
}

} // namespace
} // namespace nf
