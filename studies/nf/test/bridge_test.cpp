// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Forwarding, learning and ageing of the bridge, and its configuration files. Variants must behave
/// like native code.
#include <algorithm>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "bridge_control.h"
#include "bridge_scenes.h"
#include "bridge_state.h"
#include "differential.h"
#include "settings.h"

namespace nf {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr Mac kAnne = {2, 0, 0, 0, 0, 0xa};
constexpr Mac kBob = {2, 0, 0, 0, 0, 0xb};
constexpr Mac kServer = {2, 0, 0, 0, 0, 0x5};

void configure(std::string_view text) { bridge_function.configure(toml::parse(text)); }

/// With few slots, and always with the same hash.
void forget_in(std::uint32_t slots) {
  bridge_function.forget(16);
  bridge_stations_free(&bridge_state.stations);
  ASSERT_TRUE(bridge_stations_make(&bridge_state.stations, slots, 7));
}

class Bridge : public testing::Test {
protected:
  Bridge() {
    configure("");
    forget_in(1024);
  }
  ~Bridge() override { bridge_stations_free(&bridge_state.stations); }

  std::uint8_t send(std::uint64_t now, Bytes frame, NfSide side) {
    io_.set_time(now);
    io_.put(side, frame);
    EXPECT_EQ(bridge_poll(&io_.io(), side), 1U);
    const Sent sent = io_.take().at(0);
    EXPECT_EQ(sent.bytes, frame);
    return sent.verdict;
  }
  std::uint8_t send(std::uint64_t now, const Mac &from, const Mac &to, NfSide side) {
    return send(now, bytes_of({.source = 1, .destination = 2, .to = to, .from = from}), side);
  }
  static std::uint64_t count(BridgeOutcome outcome) { return bridge_state.counts[outcome]; }

  MemoryIo io_;
};

TEST_F(Bridge, FloodsWhatItDoesNotKnowAndFiltersWhatItDoes) {
  EXPECT_EQ(send(0, kAnne, kBob, nf_external), nf_pass_on);
  EXPECT_EQ(count(bridge_flooded), 1U);
  EXPECT_EQ(send(1, kBob, kAnne, nf_internal), nf_pass_on);
  EXPECT_EQ(count(bridge_forwarded), 1U);
  EXPECT_EQ(send(2, {2, 9}, kAnne, nf_external), nf_drop);
  EXPECT_EQ(count(bridge_filtered), 1U);
  EXPECT_EQ(count(bridge_learnt), 3U);
}

TEST_F(Bridge, FollowsAStationThatMoves) {
  send(0, kAnne, kBob, nf_external);
  send(1, kAnne, kBob, nf_internal);
  EXPECT_EQ(count(bridge_moved), 1U);
  EXPECT_EQ(count(bridge_learnt), 1U);
  EXPECT_EQ(send(2, kBob, kAnne, nf_internal), nf_drop);
  EXPECT_EQ(send(2, kBob, kAnne, nf_external), nf_pass_on);
}

TEST_F(Bridge, ForgetsWhoIsSilent) {
  configure("ageing = 10");
  send(0, kAnne, kBob, nf_external);
  EXPECT_EQ(send(10 * kSecond, {2, 9}, kAnne, nf_external), nf_drop);
  EXPECT_EQ(send(10 * kSecond + 1, {2, 9}, kAnne, nf_external), nf_pass_on);
  EXPECT_EQ(count(bridge_flooded), 2U);
  send(11 * kSecond, kAnne, kBob, nf_internal); // not counted as moved: its entry was gone
  EXPECT_EQ(count(bridge_moved), 0U);
  EXPECT_EQ(bridge_state.stations.count, 2U);
  bridge_function.sweep(20 * kSecond + 2);
  bridge_function.sweep(20 * kSecond + 2);
  EXPECT_EQ(bridge_state.stations.count, 1U);
  configure("ageing = 5"); // applies to known stations
  EXPECT_EQ(send(16 * kSecond + 1, {2, 9}, kAnne, nf_internal), nf_pass_on);
}

TEST_F(Bridge, SendsToManyAndKeepsWhatIsForBridges) {
  EXPECT_EQ(send(0, kAnne, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, nf_external), nf_pass_on);
  EXPECT_EQ(send(0, kAnne, {1, 0, 0x5e, 0, 0, 1}, nf_external), nf_pass_on);
  EXPECT_EQ(count(bridge_group), 2U);
  for (const std::uint8_t last : Bytes{0, 1, 0xe, 0xf})
    EXPECT_EQ(send(0, kAnne, {1, 0x80, 0xc2, 0, 0, last}, nf_external), nf_keep);
  EXPECT_EQ(send(0, kAnne, {1, 0x80, 0xc2, 0, 0, 0x10}, nf_external), nf_pass_on);
  EXPECT_EQ(send(0, kAnne, {1, 0x80, 0xc2, 0, 1, 0}, nf_external), nf_pass_on);
  EXPECT_EQ(count(bridge_reserved), 4U);
}

TEST_F(Bridge, LearnsNothingFromWhatNoStationSends) {
  EXPECT_EQ(send(0, {3, 0, 0, 0, 0, 1}, kBob, nf_external), nf_drop);
  EXPECT_EQ(send(0, Mac{}, kBob, nf_external), nf_drop);
  EXPECT_EQ(count(bridge_bad_source), 2U);
  Bytes frame = bytes_of({.source = 1, .destination = 2});
  EXPECT_EQ(send(0, Bytes(frame.begin(), frame.begin() + 13), nf_external), nf_drop);
  EXPECT_EQ(send(0, {}, nf_external), nf_drop);
  EXPECT_EQ(count(bridge_broken), 2U);
  EXPECT_EQ(bridge_state.stations.count, 0U);
  EXPECT_EQ(send(0, Bytes(frame.begin(), frame.begin() + 14), nf_external), nf_pass_on);
}

TEST_F(Bridge, CarriesAnyProtocol) {
  Bytes frame = bytes_of({.source = 1, .destination = 2});
  for (const unsigned type : {0x0806U, 0x86ddU, 0x8100U, 0x0026U}) {
    frame[12] = static_cast<std::uint8_t>(type >> 8U);
    frame[13] = static_cast<std::uint8_t>(type);
    EXPECT_EQ(send(0, frame, nf_external), nf_pass_on);
  }
}

TEST_F(Bridge, DropsWhatIsTooLong) {
  configure("mtu = 100");
  Bytes frame = bytes_of({.source = 1, .destination = 2});
  frame.resize(14 + 4 + 100);
  EXPECT_EQ(send(0, frame, nf_external), nf_pass_on);
  frame.push_back(0);
  EXPECT_EQ(send(0, frame, nf_external), nf_drop);
  EXPECT_EQ(count(bridge_oversized), 1U);
}

TEST_F(Bridge, KeepsStaticStationsWhereTheyAre) {
  configure("[[station]]\nmac = \"02:00:00:00:00:05\"\nside = \"internal\"");
  EXPECT_EQ(send(0, kAnne, kServer, nf_internal), nf_drop);
  send(0, kServer, kAnne, nf_external);
  EXPECT_EQ(bridge_state.stations.count, 1U);
  EXPECT_EQ(send(1000 * kSecond, kAnne, kServer, nf_internal), nf_drop);
  EXPECT_EQ(send(1000 * kSecond, kAnne, kServer, nf_external), nf_pass_on);
}

TEST_F(Bridge, FiltersByTheFirstThatFits) {
  configure(R"(
[[filter]]
source = "02:00:00:00:00:0a"
type = 0x0800
side = "external"
action = "forward"
[[filter]]
source = "02:00:00:00:00:00"
source_mask = "ff:ff:ff:00:00:00"
action = "discard"
[[filter]]
destination = "02:00:00:00:00:0b"
action = "discard"
)");
  EXPECT_EQ(send(0, kAnne, kBob, nf_external), nf_pass_on);
  EXPECT_EQ(send(0, kAnne, kServer, nf_internal), nf_drop);
  EXPECT_EQ(send(0, kBob, kServer, nf_external), nf_drop);
  EXPECT_EQ(send(0, {6, 1}, kBob, nf_external), nf_drop);
  EXPECT_EQ(send(0, {6, 1}, kServer, nf_external), nf_pass_on);
  EXPECT_EQ(count(bridge_discarded), 3U);
  EXPECT_EQ(bridge_state.stations.count, 2U);
}

TEST_F(Bridge, ForwardsInAFullTableAndLearnsWhenThereIsRoom) {
  forget_in(1);
  for (std::uint8_t i = 0; i < nf_window; ++i)
    send(0, {2, i}, kBob, nf_external);
  EXPECT_EQ(send(1, kAnne, {2, 1}, nf_internal), nf_pass_on);
  EXPECT_EQ(count(bridge_table_full), 1U);
  EXPECT_EQ(send(1, {2, 1}, kAnne, nf_internal), nf_pass_on); // flooded
  bridge_function.sweep(1000 * kSecond);
  EXPECT_EQ(bridge_state.stations.count, 0U);
  send(1000 * kSecond, kAnne, kBob, nf_internal);
  EXPECT_EQ(count(bridge_table_full), 1U);
}

TEST(BridgeControl, NamesWhatItRefuses) {
  const auto refusal = [](std::string_view text) -> std::string {
    try {
      bridge_config_of(toml::parse(text));
    } catch (const BadConfiguration &error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(refusal(bridge_function.example), "bridge.bridge (line 1): there is no such key");
  EXPECT_EQ(refusal("[[station]]\nmac = \"03:00:00:00:00:05\"\nside = \"internal\""),
            "bridge.station[0].mac (line 2): is not that of a station");
  EXPECT_EQ(refusal("[[station]]\nmac = \"02:00:00:00:00:05\"\nside = \"internal\"\n"
                    "[[station]]\nmac = \"02:00:00:00:00:05\"\nside = \"external\""),
            "bridge.station[1].mac (line 5): has been named before");
  EXPECT_EQ(refusal("[[filter]]\naction = \"discard\"\nsource_mask = \"ff:00:00:00:00:00\""),
            "bridge.filter[0].source_mask (line 3): there is no source that it is of");
  EXPECT_EQ(refusal("[[filter]]\naction = \"discard\"\nsource = \"02:00:00:00:00:05\"\n"
                    "source_mask = \"ff:00:00:00:00:00\""),
            "bridge.filter[0].source (line 3): has bits set beside its mask");
  EXPECT_EQ(refusal("[[filter]]\naction = \"lose\""),
            "bridge.filter[0].action (line 2): \"lose\" is not one of \"forward\" \"discard\"");
  EXPECT_EQ(refusal("[[filter]]\naction = \"discard\"\ntype = 1500"),
            "bridge.filter[0].type (line 3): must be a whole number from 1536 to 65535");
}

TEST_F(Bridge, DoesTheSameInVariantsWhileItsConfigurationChanges) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    std::mt19937_64 random(seed);
    Play play{
        bridge_function, random_trace(seed, 4000, between_few_stations), {}, [] { forget_in(8); }};
    std::generate_n(std::back_inserter(play.configurations), 5,
                    [&] { return bridge_configuration(random); });
    const Played wanted = play.generic();
    for (const BridgeOutcome outcome :
         {bridge_forwarded, bridge_flooded, bridge_group, bridge_filtered, bridge_discarded,
          bridge_bad_source, bridge_learnt, bridge_moved, bridge_table_full})
      EXPECT_GT(wanted.counts.at(outcome), 5U) << outcome;
    EXPECT_EQ(play.specialized(seed), wanted);
  }
}

} // namespace
} // namespace nf
