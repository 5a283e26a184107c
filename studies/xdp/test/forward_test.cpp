// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <memory>
#include <random>

#include "forward_tables.h"
#include "traffic.h"
#include "xdp.h"

namespace xdp::test {

namespace {

using router::Network;

constexpr Ends kEnds = {0x0a000001, 0xc0000263, 1000, 53}; // 10.0.0.1 to 192.0.2.99
constexpr std::uint32_t kSmall = 100;

ForwardPlan plan() {
  ForwardPlan plan;
  plan.hops[1] = {7, 1500, {2, 0, 0, 0, 1, 1}, {2, 0, 0, 0, 1, 2}};
  plan.hops[2] = {8, kSmall, {2, 0, 0, 0, 2, 1}, {2, 0, 0, 0, 2, 2}};
  plan.routes = {{{0xc0000200, 24}, 1},  // 192.0.2.0/24
                 {{0xc0000000, 8}, 2},   // 192.0.0.0/8
                 {{0xc0000201, 32}, 0},  // 192.0.2.1, the forwarder itself
                 {{0xc6336400, 24}, 9}}; // 198.51.100.0/24, through a hop that does not exist
  return plan;
}

Ends to(std::uint32_t destination) {
  Ends ends = kEnds;
  ends.destination = destination;
  return ends;
}

class XdpForwardTest : public Kernel, public testing::WithParamInterface<const char *> {
protected:
  void SetUp() override {
    Kernel::SetUp();
    if (IsSkipped())
      return;
    handlers = std::make_unique<Handlers>(forward_object());
    tables = std::make_unique<ForwardTables>(handlers->maps());
    tables->load(plan());
  }

  /// The hop, by its MAC address; 0: not forwarded.
  int hop_of(const std::string &frame) {
    const Ran ran = handlers->run(GetParam(), frame);
    return ran.verdict == XDP_REDIRECT ? ran.frame.at(4) : 0;
  }

  std::unique_ptr<Handlers> handlers;
  std::unique_ptr<ForwardTables> tables;
};

INSTANTIATE_TEST_SUITE_P(Each, XdpForwardTest, testing::Values("forward", "forward_by_trie"),
                         [](const auto &each) { return std::string(each.param); });

} // namespace

TEST_P(XdpForwardTest, OnlyAddressesTimeToLiveAndChecksumChange) {
  for (int ttl = 2; ttl < 256; ++ttl) {
    const std::string frame = with_byte(with_ttl(udp(kEnds), static_cast<std::uint8_t>(ttl)), 5,
                                        static_cast<std::uint8_t>(ttl * 7));
    std::string expected = with_ttl(frame, static_cast<std::uint8_t>(ttl - 1));
    expected.replace(0, 12, std::string("\2\0\0\0\1\1\2\0\0\0\1\2", 12));
    const Ran ran = handlers->run(GetParam(), frame);
    EXPECT_EQ(ran.verdict, XDP_REDIRECT);
    EXPECT_EQ(handlers->outcome(), outcome_forwarded);
    ASSERT_EQ(ran.frame, expected) << ttl;
  }
}

TEST_P(XdpForwardTest, EveryChecksumIsMendedRight) {
  for (int number = 0; number < 65536; number += 13) {
    std::string frame = with_byte(udp(kEnds), 4, static_cast<std::uint8_t>(number >> 8));
    frame = with_byte(frame, 5, static_cast<std::uint8_t>(number));
    ASSERT_EQ(checksum_over(handlers->run(GetParam(), frame).frame, kEthernetBytes, 20), 0)
        << number;
  }
}

TEST_P(XdpForwardTest, ALongerPrefixWins) {
  EXPECT_EQ(hop_of(udp(to(0xc0000263))), 1);
  EXPECT_EQ(hop_of(udp(to(0xc0010203))), 2);
}

TEST_P(XdpForwardTest, TagsStay) {
  for (const std::size_t tags : {1U, 2U}) {
    const std::string frame = tagged(udp(kEnds), tags);
    const Ran ran = handlers->run(GetParam(), frame);
    EXPECT_EQ(ran.verdict, XDP_REDIRECT);
    EXPECT_EQ(ran.frame.substr(12, 4 * tags + 2), frame.substr(12, 4 * tags + 2));
    EXPECT_EQ(checksum_over(ran.frame, kEthernetBytes + 4 * tags, 20), 0);
  }
}

TEST_P(XdpForwardTest, WhatIsNotForwarded) {
  const std::string frame = udp(kEnds);
  const std::vector<Expected> all = {
      {"to itself", udp(to(0xc0000201)), XDP_PASS, outcome_local},
      {"to nowhere", udp(to(0x08080808)), XDP_PASS, outcome_no_route},
      {"by no hop", udp(to(0xc6336401)), XDP_PASS, outcome_no_route},
      {"too long for the link", udp(to(0xc0010203), 200), XDP_PASS, outcome_too_big},
      {"expired", with_ttl(frame, 1), XDP_PASS, outcome_expired},
      {"expired before", with_ttl(frame, 0), XDP_PASS, outcome_expired},
      {"multicast", udp(to(0xe0000001)), XDP_PASS, outcome_local},
      {"broadcast", udp(to(0xffffffff)), XDP_PASS, outcome_local},
      {"loopback", udp(to(0x7f000001)), XDP_PASS, outcome_local},
      {"from loopback", udp({0x7f000001, 0xc0000263, 1, 2}), XDP_PASS, outcome_local},
      {"to all on the wire", "\xff" + frame.substr(1), XDP_PASS, outcome_local},
      {"options", with_options(frame), XDP_PASS, outcome_with_options},
      {"IPv6", ipv6(0), XDP_PASS, outcome_ipv6},
      {"IPv6 with extensions", ipv6(3), XDP_PASS, outcome_ipv6},
      {"ARP", arp(), XDP_PASS, outcome_arp},
      {"three tags", tagged(frame, 3), XDP_PASS, outcome_other_protocol},
      {"bad checksum", with_bad_checksum(frame), XDP_DROP, outcome_bad_checksum},
      {"other version", with_byte(frame, 0, 0x65), XDP_DROP, outcome_malformed},
      {"short header", with_byte(frame, 0, 0x44), XDP_DROP, outcome_malformed},
      {"shorter than its header", with_byte(frame, 3, 19), XDP_DROP, outcome_malformed},
      {"longer than the frame", with_byte(frame, 2, 1), XDP_DROP, outcome_truncated},
      {"half an IPv4 header", frame.substr(0, 24), XDP_DROP, outcome_truncated},
      {"no IPv4 header", frame.substr(0, 14), XDP_DROP, outcome_truncated},
      {"half a tag", tagged(frame).substr(0, 17), XDP_DROP, outcome_truncated},
  };
  for (const Expected &each : all)
    handlers->expect(GetParam(), each);
}

TEST_P(XdpForwardTest, FragmentsAndPaddingAreForwarded) {
  EXPECT_EQ(hop_of(as_fragment(udp(kEnds), 0x2000)), 1);
  EXPECT_EQ(hop_of(as_fragment(udp(kEnds), 0x00b9)), 1);
  EXPECT_EQ(hop_of(udp(kEnds) + std::string(20, '\0')), 1);
  EXPECT_EQ(hop_of(udp(to(0xc0010203), kSmall - 28) + std::string(20, '\0')), 2)
      << "padding does not count";
}

TEST_P(XdpForwardTest, RoutesComeAndGo) {
  tables->add({0xc0000260, 28}, 2);
  EXPECT_EQ(hop_of(udp(kEnds)), 2);
  tables->remove({0xc0000260, 28});
  EXPECT_EQ(hop_of(udp(kEnds)), 1);
  tables->add({0, 0}, 2);
  EXPECT_EQ(hop_of(udp(to(0x08080808))), 2);
  tables->add({0xc0000200, 24}, 2);
  EXPECT_EQ(hop_of(udp(kEnds)), 2) << "another route to the same network";
  EXPECT_THROW(tables->remove({0x01000000, 8}), std::runtime_error);
  tables->load(plan());
  EXPECT_EQ(hop_of(udp(to(0x08080808))), 0);
  EXPECT_EQ(tables->routes(), plan().routes);
}

TEST_P(XdpForwardTest, WhatComesWhileRoutesAreWrittenIsTheKernels) {
  const Variables variables(handlers->runtime().map(".bss"));
  {
    const Change change(variables);
    handlers->expect(GetParam(), {"meanwhile", udp(kEnds), XDP_PASS, outcome_changing});
  }
  EXPECT_EQ(hop_of(udp(kEnds)), 1);
}

TEST_P(XdpForwardTest, TablesOfAWriterThatHasDiedAreWrittenAnew) {
  ++Variables(handlers->runtime().map(".bss")).get<std::uint64_t>("version");
  EXPECT_EQ(hop_of(udp(kEnds)), 0);
  EXPECT_THROW(tables->add({0, 0}, 1), std::runtime_error);
  EXPECT_THROW(tables->remove({0xc0000200, 24}), std::runtime_error);
  tables->load(plan());
  EXPECT_EQ(hop_of(udp(kEnds)), 1);
}

TEST_P(XdpForwardTest, AFullTableIsSearchedToItsEnd) {
  ForwardPlan full = plan();
  full.routes.clear();
  for (std::uint32_t i = 0; i < max_routes; ++i)
    full.routes[{0xc0000000 + (i << 8), 24}] = 1 + i % 2;
  tables->load(full);
  for (const std::uint32_t i : {0U, 1U, 511U, 1022U, 1023U})
    EXPECT_EQ(hop_of(udp(to(0xc0000001 + (i << 8)))), 1 + i % 2) << i;
  EXPECT_EQ(hop_of(udp(to(0xc0000001 + (1024 << 8)))), 0);
  EXPECT_THROW(tables->add({0, 0}, 1), std::runtime_error);
}

TEST_P(XdpForwardTest, AThousandRoutesAreThoseOfTheFile) {
  std::mt19937_64 random(1);
  ForwardPlan many = plan();
  many.routes.clear();
  for (const router::RouteLine &line :
       router::made_up_routes(1000, 1, std::vector<std::uint32_t>{1, 2}))
    many.routes[line.network] = line.gateway;
  tables->load(many);
  for (int i = 0; i < 1000; ++i) {
    const std::uint32_t host = router::random_host(random);
    unsigned length = 0;
    std::uint32_t hop = 0;
    for (const auto &[network, by] : many.routes)
      if ((host & router::mask_of(network.length)) == network.prefix && network.length >= length) {
        length = network.length;
        hop = by;
      }
    ASSERT_EQ(hop_of(udp(to(host))), hop) << router::text_of(host);
  }
}

} // namespace xdp::test
