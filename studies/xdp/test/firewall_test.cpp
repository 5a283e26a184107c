// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <memory>

#include "firewall_tables.h"
#include "transport.h"
#include "xdp.h"

namespace xdp::test {

namespace {

constexpr std::uint32_t kInside = 0xc0000263;  // 192.0.2.99
constexpr std::uint32_t kOutside = 0xc6336405; // 198.51.100.5
constexpr Ends kOut = {kInside, kOutside, 40000, 443};
constexpr Ends kIn = {kOutside, kInside, 50000, 80};
constexpr std::uint8_t kSyn = flag_syn, kAck = flag_ack, kFin = flag_fin, kRst = flag_rst;
constexpr std::uint8_t kAnswer = kSyn | kAck;

class XdpFirewallTest : public Kernel {
protected:
  void SetUp() override {
    Kernel::SetUp();
    if (IsSkipped())
      return;
    handlers = std::make_unique<Handlers>(firewall_object());
    tables = std::make_unique<FirewallTables>(handlers->maps());
    load("deny outside 198.51.100.5/32 192.0.2.0/24 tcp 22\n"
         "allow outside 198.51.100.0/24 192.0.2.0/24 tcp 20 90\n"
         "allow outside 0.0.0.0/0 192.0.2.99/32 icmp\n"
         "deny inside 192.0.2.0/24 203.0.113.0/24 any\n");
  }
  void load(const std::string &rules) {
    std::istringstream in(rules);
    tables->load(read_rules(in, "rules"));
  }
  void out(const std::string &frame, Outcome outcome, const std::string &name = "") {
    handlers->expect("from_inside", {name, frame, verdict_of(outcome), outcome});
  }
  void in(const std::string &frame, Outcome outcome, const std::string &name = "") {
    handlers->expect("from_outside", {name, frame, verdict_of(outcome), outcome});
  }
  void open() {
    out(tcp(kOut, kSyn), outcome_opened);
    in(tcp(kOut.back(), kAnswer), outcome_known);
    out(tcp(kOut, kAck), outcome_known);
  }

  std::unique_ptr<Handlers> handlers;
  std::unique_ptr<FirewallTables> tables;

private:
  static std::uint32_t verdict_of(Outcome outcome) {
    switch (outcome) {
    case outcome_arp:
    case outcome_known:
    case outcome_opened:
    case outcome_related:
      return XDP_PASS;
    default:
      return XDP_DROP;
    }
  }
};

} // namespace

TEST_F(XdpFirewallTest, AConnectionFromInsideIsAnsweredFromOutside) {
  open();
  in(tcp(kOut.back(), kAck), outcome_known);
  Ends other = kOut.back();
  other.destination_port = 40001;
  in(tcp(other, kAck), outcome_out_of_state, "another port");
}

TEST_F(XdpFirewallTest, FromOutsideTheFirstRuleThatFitsDecides) {
  in(tcp(kIn, kSyn), outcome_opened);
  out(tcp(kIn.back(), kAnswer), outcome_known);
  EXPECT_EQ(tables->count(1).packets, 1U);
  EXPECT_EQ(tables->count(1).bytes, 50U);
  Ends shell = kIn;
  shell.destination_port = 22;
  in(tcp(shell, kSyn), outcome_denied);
  EXPECT_EQ(tables->count(0).packets, 1U);
  shell.source += 1;
  in(tcp(shell, kSyn), outcome_opened);
  EXPECT_EQ(tables->count(1).packets, 2U);
}

TEST_F(XdpFirewallTest, WithoutARuleOutsideMayNotBegin) {
  Ends ends = kIn;
  ends.destination_port = 91;
  in(tcp(ends, kSyn), outcome_denied);
  in(udp(kIn), outcome_denied);
  ends = kIn;
  ends.source = 0x08080808;
  in(tcp(ends, kSyn), outcome_denied);
  EXPECT_EQ(tables->count(max_rules).packets, 3U);
  out(udp({kInside, 0xcb007101, 1, 2}), outcome_denied, "a rule for the inside");
  EXPECT_EQ(tables->count(3).packets, 1U);
  out(udp({kInside, 0xcb007201, 1, 2}), outcome_opened, "no rule for the inside");
  EXPECT_EQ(tables->count(max_rules).packets, 4U);
}

TEST_F(XdpFirewallTest, RulesComeAndGo) {
  std::istringstream words("allow outside 0.0.0.0/0 192.0.2.99/32 udp 53");
  const Rule rule = read_rule(words);
  const Ends ends = {0x08080808, kInside, 1000, 53};
  in(udp(ends), outcome_denied);
  tables->insert(1, rule);
  in(udp(ends), outcome_opened);
  EXPECT_EQ(tables->rules().size(), 5U);
  tables->remove(1);
  in(udp(ends), outcome_known, "its connection stays");
  in(udp({0x08080808, kInside, 1001, 53}), outcome_denied);
  EXPECT_THROW(tables->remove(4), std::runtime_error);
  EXPECT_THROW(tables->insert(5, rule), std::runtime_error);
  while (tables->rules().size() < max_rules)
    tables->insert(0, rule);
  EXPECT_THROW(tables->insert(0, rule), std::runtime_error);
  in(tcp(kIn, kSyn), outcome_opened, "the rules at the end count");
}

TEST_F(XdpFirewallTest, WhatComesWhileRulesAreWrittenBeginsNothing) {
  open();
  const Variables variables(handlers->runtime().map(".bss"));
  {
    const Change change(variables);
    in(tcp(kIn, kSyn), outcome_changing);
    in(tcp(kOut.back(), kAck), outcome_known, "what is known goes on");
  }
  in(tcp(kIn, kSyn), outcome_opened);
}

TEST_F(XdpFirewallTest, FlagsThatDoNotGoTogetherAreDropped) {
  open();
  const std::uint8_t impossible[] = {0, kFin, kSyn | kFin, kSyn | kRst, kSyn | kFin | kAck, 0x29};
  for (const std::uint8_t flags : impossible) {
    out(tcp(kOut, flags), outcome_bad_flags, std::to_string(flags));
    in(tcp(kOut.back(), flags), outcome_bad_flags, std::to_string(flags));
  }
}

TEST_F(XdpFirewallTest, FlagsThatDoNotGoWithTheStateAreDropped) {
  out(tcp(kOut, kAck), outcome_out_of_state, "nothing has begun");
  out(tcp(kOut, kRst), outcome_out_of_state);
  out(tcp(kOut, kAnswer), outcome_out_of_state);
  in(tcp(kIn, kAck), outcome_out_of_state);
  out(tcp(kOut, kSyn), outcome_opened);
  out(tcp(kOut, kSyn), outcome_known, "asked again");
  out(tcp(kOut, kAck), outcome_out_of_state, "not answered yet");
  in(tcp(kOut.back(), kSyn), outcome_out_of_state, "both at once");
  in(tcp(kOut.back(), kAck), outcome_out_of_state, "no answer to that");
  in(tcp(kOut.back(), kAnswer), outcome_known);
  in(tcp(kOut.back(), kAnswer), outcome_known, "answered again");
  out(tcp(kOut, kAck), outcome_known);
  out(tcp(kOut, kSyn), outcome_known, "whoever has lost its memory asks again");
  in(tcp(kOut.back(), kSyn), outcome_out_of_state);
  out(tcp(kOut, kAnswer), outcome_out_of_state);
}

TEST_F(XdpFirewallTest, AnEndedConnectionIsNotBegunFromOutsideAgain) {
  open();
  out(tcp(kOut, kFin | kAck), outcome_known);
  in(tcp(kOut.back(), kAck), outcome_known, "half of it goes on");
  in(tcp(kOut.back(), kFin | kAck), outcome_known);
  out(tcp(kOut, kAck), outcome_known, "the last word");
  in(tcp(kOut.back(), kSyn), outcome_denied);
  out(tcp(kOut, kSyn), outcome_opened, "the same ports again");
}

TEST_F(XdpFirewallTest, AResetEndsAConnection) {
  open();
  in(tcp(kOut.back(), kRst), outcome_known);
  in(tcp(kOut.back(), kSyn), outcome_denied);
  out(tcp(kOut, kSyn), outcome_opened);
}

TEST_F(XdpFirewallTest, ConnectionsAreForgottenByPhase) {
  Patience &patience = tables->patience();
  const Patience long_enough = patience;
  const auto forgets = [&](ConnectionPhase phase, const std::string &frame, Outcome then) {
    patience.of_phase[phase] = 0; // every observation is older than the limit
    in(frame, then);
    patience = long_enough;
  };
  out(tcp(kOut, kSyn), outcome_opened);
  forgets(phase_opening, tcp(kOut.back(), kAnswer), outcome_out_of_state);
  in(tcp(kOut.back(), kAnswer), outcome_known);
  forgets(phase_open, tcp(kOut.back(), kAck), outcome_out_of_state);
  in(tcp(kOut.back(), kFin | kAck), outcome_known);
  forgets(phase_closing, tcp(kOut.back(), kAck), outcome_out_of_state);
  out(udp(kOut), outcome_opened);
  in(udp(kOut.back()), outcome_known);
  forgets(phase_none, udp(kOut.back()), outcome_denied);
  in(udp(kOut.back()), outcome_known);
}

TEST_F(XdpFirewallTest, EchoesAreConnections) {
  out(icmp(kOut, icmp_echo, 7), outcome_opened);
  in(icmp(kOut.back(), icmp_echo_reply, 7), outcome_known);
  in(icmp(kOut.back(), icmp_echo_reply, 8), outcome_denied, "an answer to nothing");
  in(icmp(kIn, icmp_echo, 9), outcome_opened, "a rule allows it");
  in(icmp(kIn, 13, 9), outcome_denied, "a timestamp");
}

TEST_F(XdpFirewallTest, ErrorsAreLetThroughThatAreAboutAConnection) {
  open();
  out(icmp(kOut, icmp_echo, 7), outcome_opened);
  const std::string sent = tcp(kOut, kAck);
  in(icmp_error(0x08080808, icmp_unreachable, sent), outcome_related);
  in(icmp_error(0x08080808, icmp_expired, icmp(kOut, icmp_echo, 7)), outcome_related);
  out(icmp_error(kInside, icmp_bad_parameter, tcp(kOut.back(), kAck)), outcome_related);
  in(icmp_error(0x08080808, 5, sent), outcome_denied, "a redirect");
  in(icmp_error(0x08080808, icmp_unreachable, tcp(kIn, kAck)), outcome_denied, "about nothing");
  in(icmp_error(0x08080808, icmp_unreachable, tcp(kOut.back(), kAck)), outcome_denied,
     "about what did not come from here");
  const std::string error = icmp_error(0x08080808, icmp_unreachable, sent);
  const auto shorter = static_cast<std::uint8_t>(error.size() - kEthernetBytes - 1);
  in(with_byte(error, 3, shorter), outcome_truncated, "about half a packet");
}

TEST_F(XdpFirewallTest, WhatIsNotUnderstoodIsDropped) {
  const std::string frame = tcp(kOut, kSyn);
  const std::vector<std::pair<std::string, Outcome>> all = {
      {as_fragment(frame, 0x2000), outcome_fragment},
      {as_fragment(frame, 0x0010), outcome_fragment},
      {with_options(frame), outcome_with_options},
      {ipv6(0), outcome_ipv6},
      {ipv6(2), outcome_ipv6},
      {with_byte(frame, 9, 47), outcome_other_protocol},
      {with_byte(frame, 9, 255), outcome_other_protocol},
      {with_bad_checksum(frame), outcome_bad_checksum},
      {with_byte(frame, 0, 0x65), outcome_malformed},
      {with_byte(frame, 3, 39), outcome_truncated},
      {frame.substr(0, 50), outcome_truncated},
      {with_byte(frame, 32, 0x40), outcome_malformed}, // the TCP header's length
      {with_byte(udp(kOut), 25, 7), outcome_malformed},
      {tagged(frame, 3), outcome_other_protocol},
  };
  for (const auto &[spoiled, outcome] : all) {
    out(spoiled, outcome);
    in(spoiled, outcome);
  }
  EXPECT_TRUE(tables->connections().content().empty());
  in(arp(), outcome_arp);
  out(tagged(frame), outcome_opened);
}

} // namespace xdp::test
