// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The router's treatment of single packets.
#include <functional>
#include <random>
#include <string>

#include <gmock/gmock.h>

#include "ipv4.h"
#include "packet.h"

namespace router {
namespace {

constexpr Mac own{2, 0, 0, 0, 0, 1};
constexpr Mac other{2, 0, 0, 0, 0, 2};
constexpr std::uint32_t host = 0xc000'0201; // 192.0.2.1

Packet sound() {
  return {.to = own,
          .from = other,
          .source = 0x0a01'0002,
          .destination = host,
          .payload = std::vector<std::uint8_t>(16)};
}

Outcome outcome_of(const std::vector<std::uint8_t> &frame) {
  // A heap copy of exactly the frame's size: AddressSanitizer detects reads beyond its end.
  const std::vector<std::uint8_t> bytes(frame.begin(), frame.end());
  std::uint32_t destination = 0;
  return parse(bytes.data(), bytes.size(), number_of(own), destination);
}

std::uint16_t checksum_of(const std::vector<std::uint8_t> &frame) {
  return load<std::uint16_t>(frame.data() + at::checksum);
}

TEST(Checksum, IsThatOfTheExampleInRfc1071) {
  const std::array<std::uint8_t, 8> bytes{0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};
  EXPECT_EQ(std::byteswap(sum_of(bytes.data(), bytes.size())), 0xddf2);
}

TEST(Checksum, UpdatesToWhatTheWholeHeaderGives) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    Packet packet = sound();
    packet.source = static_cast<std::uint32_t>(random());
    packet.destination = static_cast<std::uint32_t>(random());
    packet.ttl = static_cast<std::uint8_t>(random());
    packet.options.resize(random() % 3 * 4);
    std::vector<std::uint8_t> frame = frame_of(packet);
    // A random word other than the checksum, which is the sixth.
    std::uint8_t *const word = frame.data() + at::payload + std::array{2, 4, 8, 12, 18}[i % 5];
    const auto before = load<std::uint16_t>(word);
    const auto after = static_cast<std::uint16_t>(random());
    const std::uint16_t updated = updated_checksum(checksum_of(frame), before, after);
    store(word, after);
    write_checksum(frame.data());
    ASSERT_EQ(updated, checksum_of(frame));
  }
}

TEST(Checksum, UpdatesToZeroRatherThanToItsOtherForm) {
  // RFC 1624, section 4: the older equation gives 0xffff here.
  EXPECT_EQ(updated_checksum(std::byteswap<std::uint16_t>(0xdd2f),
                             std::byteswap<std::uint16_t>(0x5555),
                             std::byteswap<std::uint16_t>(0x3285)),
            0x0000);
}

TEST(Parse, TakesASoundPacket) { EXPECT_EQ(outcome_of(frame_of(sound())), Outcome::forwarded); }

TEST(Parse, GivesTheDestinationInHostOrder) {
  const std::vector<std::uint8_t> frame = frame_of(sound());
  std::uint32_t destination = 0;
  parse(frame.data(), frame.size(), number_of(own), destination);
  EXPECT_EQ(destination, host);
}

TEST(Parse, TakesOptions) {
  Packet packet = sound();
  packet.options = {148, 4, 0, 0, 1, 1, 0, 0};
  EXPECT_EQ(outcome_of(frame_of(packet)), Outcome::forwarded);
}

TEST(Parse, TakesPaddingBehindThePacket) {
  std::vector<std::uint8_t> frame = frame_of(sound());
  frame.resize(frame.size() + 10);
  EXPECT_EQ(outcome_of(frame), Outcome::forwarded);
}

TEST(Parse, LeavesArpToOthers) {
  std::vector<std::uint8_t> frame = frame_of(sound());
  store16(frame.data() + at::ether_type, type_arp);
  EXPECT_EQ(outcome_of(frame), Outcome::arp);
}

TEST(Parse, NeverReadsBeyondTheEnd) {
  Packet packet = sound();
  packet.options = {148, 4, 0, 0};
  const std::vector<std::uint8_t> whole = frame_of(packet);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(outcome_of({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}),
              Outcome::forwarded)
        << size;
}

struct Flaw {
  const char *name;
  Outcome outcome;
  std::function<void(Packet &)> before = [](Packet &) {};
  std::function<void(std::vector<std::uint8_t> &)> after = [](std::vector<std::uint8_t> &) {};
  bool right_checksum = true;
};

void PrintTo(const Flaw &flaw, std::ostream *out) { *out << flaw.name; }

class ParseRefuses : public testing::TestWithParam<Flaw> {};

TEST_P(ParseRefuses, WithItsReason) {
  Packet packet = sound();
  GetParam().before(packet);
  std::vector<std::uint8_t> frame = frame_of(packet);
  GetParam().after(frame);
  if (GetParam().right_checksum)
    write_checksum(frame.data());
  EXPECT_EQ(name_of(outcome_of(frame)), name_of(GetParam().outcome));
}

using Bytes = std::vector<std::uint8_t>;
const auto set_first = [](std::uint8_t value) {
  return [value](Bytes &frame) { frame[at::version_and_length] = value; };
};
const auto set_total = [](std::uint16_t value) {
  return [value](Bytes &frame) { store16(frame.data() + at::total_length, value); };
};
const auto set_options = [](Bytes options) {
  return [options](Packet &packet) { packet.options = options; };
};
const auto set_destination = [](std::uint32_t address) {
  return [address](Packet &packet) { packet.destination = address; };
};
const auto set_source = [](std::uint32_t address) {
  return [address](Packet &packet) { packet.source = address; };
};
const auto nothing = [](Packet &) {};

INSTANTIATE_TEST_SUITE_P(
    Flaws, ParseRefuses,
    testing::Values(
        Flaw{"other_mac", Outcome::other_host, [](Packet &packet) { packet.to = other; }},
        Flaw{"broadcast_mac", Outcome::other_host, [](Packet &packet) { packet.to = broadcast; }},
        Flaw{"ipv6", Outcome::unknown_protocol, nothing,
             [](Bytes &frame) { store16(frame.data() + at::ether_type, 0x86dd); }},
        Flaw{"half_ethernet_header", Outcome::short_frame, nothing,
             [](Bytes &frame) { frame.resize(13); }, false},
        Flaw{"half_ip_header", Outcome::truncated, nothing,
             [](Bytes &frame) { frame.resize(at::payload + 19); }, false},
        Flaw{"options_cut_off", Outcome::truncated, set_options({1, 1, 1, 1}),
             [](Bytes &frame) { frame.resize(at::payload + 23); }, false},
        Flaw{"version_6", Outcome::bad_version, nothing, set_first(0x65)},
        Flaw{"header_of_16_bytes", Outcome::bad_header_length, nothing, set_first(0x44), false},
        Flaw{"bit_flipped", Outcome::bad_header_checksum, nothing,
             [](Bytes &frame) { frame[at::source] ^= 8; }, false},
        Flaw{"bit_flipped_in_options", Outcome::bad_header_checksum, set_options({1, 1, 1, 1}),
             [](Bytes &frame) { frame[at::options] ^= 8; }, false},
        Flaw{"total_below_header", Outcome::bad_total_length, nothing, set_total(19)},
        Flaw{"total_beyond_frame", Outcome::bad_total_length, nothing, set_total(37)},
        Flaw{"option_of_length_0", Outcome::bad_options, set_options({7, 0, 0, 0})},
        Flaw{"option_of_length_1", Outcome::bad_options, set_options({7, 1, 0, 0})},
        Flaw{"option_beyond_header", Outcome::bad_options, set_options({7, 5, 0, 0})},
        Flaw{"option_without_length", Outcome::bad_options, set_options({1, 1, 1, 7})},
        Flaw{"loose_source_route", Outcome::source_route, set_options({131, 3, 4, 0})},
        Flaw{"strict_source_route", Outcome::source_route, set_options({1, 137, 3, 4})},
        Flaw{"to_this_network", Outcome::bad_address, set_destination(0x0000'0001)},
        Flaw{"to_loopback", Outcome::bad_address, set_destination(0x7f00'0001)},
        Flaw{"to_multicast", Outcome::bad_address, set_destination(0xe000'0001)},
        Flaw{"to_broadcast", Outcome::bad_address, set_destination(0xffff'ffff)},
        Flaw{"from_loopback", Outcome::bad_address, set_source(0x7f00'0001)},
        Flaw{"from_multicast", Outcome::bad_address, set_source(0xe000'0001)}),
    [](const auto &flaw) { return std::string(flaw.param.name); });

TEST(PassOn, DecrementsTheTtlAndKeepsTheChecksumRight) {
  for (unsigned ttl = 2; ttl < 256; ++ttl) {
    Packet packet = sound();
    packet.ttl = static_cast<std::uint8_t>(ttl);
    std::vector<std::uint8_t> frame = frame_of(packet);
    --packet.ttl;
    packet.to = other;
    packet.from = own;
    EXPECT_EQ(pass_on(frame.data(), {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1}), Outcome::forwarded);
    EXPECT_EQ(frame, frame_of(packet));
  }
}

TEST(PassOn, LeavesAPacketAsItIsWhoseTimeIsUp) {
  for (const std::uint8_t ttl : std::array<std::uint8_t, 2>{0, 1}) {
    Packet packet = sound();
    packet.ttl = ttl;
    std::vector<std::uint8_t> frame = frame_of(packet);
    EXPECT_EQ(pass_on(frame.data(), {}), Outcome::ttl_expired);
    EXPECT_EQ(frame, frame_of(packet));
  }
}

} // namespace
} // namespace router
