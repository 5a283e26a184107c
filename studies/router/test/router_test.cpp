// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The router without ports: bursts, address resolution, tables, counters.
#include <gmock/gmock.h>

#include "packet.h"
#include "router.h"

namespace router {
namespace {

constexpr Mac mac0{2, 0, 0, 0, 0, 1};
constexpr Mac mac1{2, 0, 0, 0, 0, 2};
constexpr Mac gateway_mac{2, 0, 0, 0, 0, 9};
constexpr Mac sender_mac{2, 0, 0, 0, 0, 8};
constexpr std::uint32_t address0 = 0x0a01'0001;
constexpr std::uint32_t address1 = 0x0a02'0001;
constexpr std::uint32_t sender = 0x0a01'0005;
constexpr std::uint32_t gateway = 0x0a02'0009;
constexpr std::uint32_t host = 0xc000'0201; // 192.0.2.1, reached through the gateway
constexpr Router::Time start{};

class Routing : public testing::Test {
protected:
  Routing() : router({{mac0, address0, 16}, {mac1, address1, 16}}) {
    router.set_routes({{{0xc000'0200, 24}, gateway}});
  }

  /// Routes a frame that came in on `port`. Afterwards the frame is in `bytes`, and `sent` is true
  /// if it is to be sent.
  Frame route(std::vector<std::uint8_t> frame, std::uint16_t port = 0, Router::Time now = start) {
    bytes = std::move(frame);
    Frame one{bytes.data(), static_cast<std::uint32_t>(bytes.size()), port, Outcome::forwarded};
    bytes.resize(std::max(bytes.size(), arp_frame_size)); // buffers are at least this large
    one.data = bytes.data();
    route_burst(&router.tables(), &one, 1);
    sent = one.outcome == Outcome::forwarded || router.finish(one, now);
    return one;
  }

  static std::vector<std::uint8_t> packet(std::uint32_t destination = host) {
    return frame_of({.to = mac0,
                     .from = sender_mac,
                     .source = sender,
                     .destination = destination,
                     .payload = std::vector<std::uint8_t>(26)});
  }

  static std::vector<std::uint8_t> arp(const Arp &arp) {
    std::vector<std::uint8_t> frame(arp_frame_size);
    write_arp(frame.data(), arp);
    return frame;
  }

  static std::vector<std::uint8_t> gateway_answers() {
    return arp({ArpOperation::reply, gateway_mac, gateway, mac1, address1});
  }

  std::uint64_t count(Outcome outcome) { return router.counters().of(outcome); }

  Router router;
  std::vector<std::uint8_t> bytes;
  bool sent = false;
};

TEST_F(Routing, AnswersWhoAsksForItsAddress) {
  const Frame frame = route(arp({ArpOperation::request, sender_mac, sender, {}, address0}));
  EXPECT_TRUE(sent);
  EXPECT_EQ(frame.port, 0);
  EXPECT_EQ(frame.size, arp_frame_size);
  EXPECT_EQ(bytes, arp({ArpOperation::reply, mac0, address0, sender_mac, sender}));
  EXPECT_EQ(count(Outcome::arp), 1U);
}

TEST_F(Routing, DoesNotAnswerForOthers) {
  route(arp({ArpOperation::request, sender_mac, sender, {}, address0 + 1}));
  EXPECT_FALSE(sent);
  EXPECT_EQ(count(Outcome::arp), 1U);
}

TEST_F(Routing, DoesNotAnswerForItsOtherPort) {
  route(arp({ArpOperation::request, sender_mac, sender, {}, address1}));
  EXPECT_FALSE(sent);
}

TEST_F(Routing, RefusesArpThatIsNone) {
  std::vector<std::uint8_t> frame = arp({ArpOperation::request, sender_mac, sender, {}, address0});
  frame[at::payload + 4] = 8;
  EXPECT_EQ(route(frame).outcome, Outcome::bad_arp);
  EXPECT_FALSE(sent);
  EXPECT_EQ(count(Outcome::bad_arp), 1U);
}

TEST_F(Routing, AsksForTheGatewayOfTheFirstPacket) {
  const Frame frame = route(packet());
  EXPECT_EQ(frame.outcome, Outcome::unresolved);
  EXPECT_TRUE(sent);
  EXPECT_EQ(frame.port, 1);
  bytes.resize(frame.size);
  EXPECT_EQ(bytes, arp({ArpOperation::request, mac1, address1, {}, gateway}));
  EXPECT_EQ(count(Outcome::unresolved), 1U);
}

TEST_F(Routing, AsksOnceASecond) {
  route(packet());
  route(packet(), 0, start + std::chrono::milliseconds(999));
  EXPECT_FALSE(sent);
  route(packet(), 0, start + std::chrono::milliseconds(1000));
  EXPECT_TRUE(sent);
  EXPECT_EQ(count(Outcome::unresolved), 3U);
}

TEST_F(Routing, ForwardsWhenTheGatewayHasAnswered) {
  route(packet());
  route(gateway_answers(), 1);
  const Frame frame = route(packet());
  EXPECT_EQ(frame.outcome, Outcome::forwarded);
  EXPECT_EQ(frame.port, 1);
  EXPECT_EQ(bytes, frame_of({.to = gateway_mac,
                             .from = mac1,
                             .source = sender,
                             .destination = host,
                             .ttl = 63,
                             .payload = std::vector<std::uint8_t>(26)}));
}

TEST_F(Routing, FollowsAGatewayToAnotherMac) {
  route(gateway_answers(), 1);
  route(arp({ArpOperation::request, sender_mac, gateway, {}, address1}), 1);
  route(packet());
  EXPECT_TRUE(std::equal(sender_mac.begin(), sender_mac.end(), bytes.begin()));
}

TEST_F(Routing, BelievesNobodyOnTheWrongPort) {
  route(arp({ArpOperation::reply, gateway_mac, gateway, mac0, address0}), 0);
  EXPECT_EQ(route(packet()).outcome, Outcome::unresolved);
}

TEST_F(Routing, ForwardsToAHostOfAConnectedNetwork) {
  EXPECT_EQ(route(packet(gateway)).outcome, Outcome::unresolved);
  EXPECT_TRUE(sent);
  route(gateway_answers(), 1);
  const Frame frame = route(packet(gateway));
  EXPECT_EQ(frame.outcome, Outcome::forwarded);
  EXPECT_TRUE(sent);
  EXPECT_EQ(frame.port, 1);
  EXPECT_TRUE(std::equal(gateway_mac.begin(), gateway_mac.end(), bytes.begin()));
}

TEST_F(Routing, DropsWhatIsForItself) {
  EXPECT_EQ(route(packet(address1)).outcome, Outcome::local);
  EXPECT_FALSE(sent);
  EXPECT_EQ(count(Outcome::local), 1U);
}

TEST_F(Routing, DropsWhatHasNoRoute) {
  EXPECT_EQ(route(packet(0x0808'0808)).outcome, Outcome::no_route);
  EXPECT_FALSE(sent);
}

TEST_F(Routing, KnowsGatewaysStillWhenRoutesAreReplaced) {
  route(gateway_answers(), 1);
  router.set_routes({{{0x0808'0000, 16}, gateway}});
  EXPECT_EQ(route(packet(0x0808'0808)).outcome, Outcome::forwarded);
  EXPECT_EQ(route(packet()).outcome, Outcome::no_route);
}

TEST_F(Routing, ChangesTheGenerationWithTheRoutes) {
  const std::uint32_t before = router.tables().generation;
  router.set_routes({});
  EXPECT_NE(router.tables().generation, before);
}

TEST_F(Routing, ReportsBeforeAndAfterRoutesChange) {
  std::vector<std::uint32_t> counts;
  const auto note = [&] { counts.push_back(router.tables().route_count); };
  router.on_change(note, note);
  router.set_routes({}); // two local addresses and two connected networks remain
  EXPECT_THAT(counts, testing::ElementsAre(5, 4));
}

TEST_F(Routing, RefusesAGatewayThatItCannotReachAndKeepsItsRoutes) {
  route(gateway_answers(), 1);
  EXPECT_THROW(router.set_routes({{{0, 0}, 0x0a03'0001}}), BadRoutes);
  EXPECT_THROW(router.set_routes({{{0, 0}, address1}}), BadRoutes);
  EXPECT_EQ(route(packet()).outcome, Outcome::forwarded);
}

TEST(Router, HasAPortAtLeast) { EXPECT_THROW(Router({}), BadRoutes); }

} // namespace
} // namespace router
