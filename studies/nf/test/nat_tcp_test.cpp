// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Lifetimes of connections (RFC 5382, RFC 7857).
#include "nat_fixture.h"

namespace nf {
namespace {

class NatTcp : public NatTest {
protected:
  bool out(std::uint8_t flags, std::uint32_t to = remote) {
    return leave({.source = host,
                  .destination = to,
                  .protocol = tcp,
                  .source_port = 5000,
                  .destination_port = 80,
                  .tcp_flags = flags})
        .has_value();
  }
  bool in(std::uint8_t flags, std::uint32_t from = remote) {
    return enter({.source = from,
                  .destination = ours,
                  .protocol = tcp,
                  .source_port = 80,
                  .destination_port = 5000,
                  .tcp_flags = flags})
        .has_value();
  }
  void establish(std::uint32_t with = remote) {
    EXPECT_TRUE(out(kSyn, with));
    EXPECT_TRUE(in(kSyn | kAck, with));
    EXPECT_TRUE(out(kAck, with));
  }
  static std::uint64_t established() {
    return nat_state.inside.count == 0 ? 0 : mapping()->established;
  }
  static const NatMapping *mapping() {
    for (std::uint32_t i = 0; i <= nat_state.inside.mask + nf_window; ++i)
      if (nat_state.inside.tags[i])
        return &nat_state.inside.slots[i].value;
    return nullptr;
  }
};

TEST_F(NatTcp, RemembersWhatIsEstablishedForLong) {
  establish();
  EXPECT_EQ(established(), 1U);
  now_ += 7440 * second - 1;
  EXPECT_TRUE(in(kAck)); // which refreshes it
  now_ += 7440 * second - 1;
  EXPECT_TRUE(in(kAck));
  now_ += 7440 * second;
  EXPECT_FALSE(in(kAck));
}

TEST_F(NatTcp, ForgetsWhatIsNotEstablishedSoon) {
  EXPECT_TRUE(out(kSyn));
  now_ += 240 * second - 1;
  EXPECT_TRUE(in(kAck));
  now_ += 240 * second;
  EXPECT_FALSE(in(kSyn | kAck));
  EXPECT_EQ(count(nat_no_mapping), 1U);
}

TEST_F(NatTcp, ForgetsWhatBothHaveClosedSoon) {
  establish();
  EXPECT_TRUE(out(kFin));
  EXPECT_EQ(established(), 1U); // half open
  EXPECT_TRUE(in(kFin));
  EXPECT_EQ(established(), 0U);
  EXPECT_TRUE(out(kAck));
  EXPECT_EQ(established(), 0U);
  now_ += 240 * second;
  EXPECT_FALSE(in(kAck));
}

TEST_F(NatTcp, DoesNotBelieveAResetAtOnce) {
  establish();
  EXPECT_TRUE(in(kReset));
  EXPECT_EQ(established(), 0U);
  EXPECT_TRUE(out(kAck));
  EXPECT_EQ(established(), 1U);
  EXPECT_TRUE(in(kReset));
  now_ += 240 * second;
  EXPECT_FALSE(in(kAck));
}

TEST_F(NatTcp, BeginsAnew) {
  establish();
  EXPECT_TRUE(out(kFin));
  EXPECT_TRUE(in(kFin));
  establish();
  EXPECT_EQ(established(), 1U);
}

TEST_F(NatTcp, OpensFromBothSidesAtOnce) {
  EXPECT_TRUE(out(kSyn));
  EXPECT_TRUE(in(kSyn));
  EXPECT_EQ(established(), 1U);
}

// Endpoint-independent filtering lets a SYN in; the answer to it establishes the connection.
TEST_F(NatTcp, LetsConnectionsInThatOthersBegin) {
  EXPECT_TRUE(out(kSyn));
  EXPECT_TRUE(in(kSyn, other_remote));
  EXPECT_EQ(nat_state.peers.count, 1U);
  EXPECT_TRUE(out(kSyn | kAck, other_remote));
  EXPECT_EQ(established(), 1U);
}

TEST_F(NatTcp, KeepsAMappingForTheLastOfItsConnections) {
  establish();
  establish(other_remote);
  EXPECT_EQ(established(), 2U);
  EXPECT_TRUE(in(kReset, other_remote));
  now_ += 7440 * second - 1;
  EXPECT_TRUE(in(kAck));
  EXPECT_EQ(established(), 1U);
}

TEST_F(NatTcp, SweepsConnectionsOutOfTheirMapping) {
  establish();
  now_ += 7400 * second;
  EXPECT_TRUE(out(kSyn, other_remote));
  nat_sweep(now_ + 40 * second, 4096);
  EXPECT_EQ(established(), 0U);
  EXPECT_EQ(nat_state.inside.count, 1U);
  EXPECT_EQ(nat_state.peers.count, 1U);
  nat_sweep(now_ + 240 * second, 4096);
  EXPECT_EQ(nat_state.inside.count, 0U);
  EXPECT_EQ(nat_state.peers.count, 0U);
  expect_consistent();
}

// A peer may outlive its mapping; it does not belong to a later mapping of the endpoint.
TEST_F(NatTcp, DoesNotTakeAPeerOfAnEarlierMappingForItsOwn) {
  establish();
  now_ += 7440 * second;
  EXPECT_TRUE(out(kSyn, other_remote)); // the mapping has expired, and a new one is made
  EXPECT_EQ(established(), 0U);
  EXPECT_EQ(nat_state.peers.count, 2U);
  EXPECT_TRUE(out(kAck));
  EXPECT_EQ(established(), 0U);
  nat_sweep(now_ + 10'000 * second, 4096);
  EXPECT_EQ(nat_state.peers.count, 0U);
}

TEST_F(NatTcp, FiltersByAddressWhatNoConnectionIsFor) {
  nat_config.by_address = 1;
  establish();
  EXPECT_FALSE(in(kSyn, other_remote));
  EXPECT_EQ(count(nat_filtered), 1U);
  now_ += 7000 * second; // the contact has expired long ago, the connection has not
  EXPECT_TRUE(in(kAck));
}

TEST_F(NatTcp, DropsConnectionsThatItHasNoRoomToFollow) {
  nat_peers_free(&nat_state.peers);
  ASSERT_TRUE(nat_peers_make(&nat_state.peers, 1, 7));
  unsigned passed = 0;
  for (std::uint32_t i = 0; i < 100; ++i)
    passed += out(kSyn, remote + i) ? 1 : 0;
  EXPECT_EQ(passed, 32U);
  EXPECT_EQ(count(nat_table_full), 68U);
}

} // namespace
} // namespace nf
