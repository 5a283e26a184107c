// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_STUDIES_NF_FIREWALL_FIXTURE_H
#define SARTOR_TEST_STUDIES_NF_FIREWALL_FIXTURE_H

#include <utility>

#include <gtest/gtest.h>

#include "firewall_control.h"
#include "read_frame.h"
#include "traces.h"

namespace nf {

/// A firewall without rules.
class FirewallTest : public testing::Test {
protected:
  static constexpr std::uint64_t second = 1'000'000'000;
  static constexpr std::uint32_t host = 0x0a000005;
  static constexpr std::uint32_t remote = 0x08080808;
  static constexpr std::uint8_t icmp = IPPROTO_ICMP;
  static constexpr std::uint8_t tcp = IPPROTO_TCP;
  static constexpr std::uint8_t udp = IPPROTO_UDP;

  FirewallTest() {
    firewall_config = {};
    const std::uint64_t timers[firewall_timers][firewall_phases] = {
        {120 * second, 7440 * second, 240 * second},
        {30 * second, 300 * second},
        {30 * second, 60 * second}};
    static_assert(sizeof timers == sizeof firewall_config.timers);
    std::memcpy(firewall_config.timers, timers, sizeof timers);
    firewall_forget(1024);
  }
  ~FirewallTest() override {
    firewall_flows_free(&firewall_state.flows);
    firewall_fragments_free(&firewall_state.fragments);
  }

  static std::uint32_t turned(std::uint32_t number) { return __builtin_bswap32(number); }
  static void allow(const FirewallRule &rule) {
    firewall_config.rules[firewall_config.count++] = rule;
  }
  static std::uint64_t count(FirewallOutcome outcome) { return firewall_state.counts[outcome]; }

  /// A packet of the only flow of a protocol.
  static Frame flow(NfSide side, std::uint8_t protocol, std::uint8_t tcp_flags = 0x10) {
    Frame frame{.source = host,
                .destination = remote,
                .protocol = protocol,
                .source_port = 5000,
                .destination_port = 80,
                .tcp_flags = tcp_flags,
                .icmp_rest = 77U << 16U};
    if (side == nf_external) {
      std::swap(frame.source, frame.destination);
      std::swap(frame.source_port, frame.destination_port);
    }
    return frame;
  }

  /// True if the frame passes.
  bool put(NfSide side, const Frame &frame) {
    io_.set_time(now_);
    io_.put(side, bytes_of(frame));
    EXPECT_EQ(firewall_poll(&io_.io(), side), 1U);
    return io_.take().at(0).verdict == nf_pass_on;
  }
  bool out(std::uint8_t protocol, std::uint8_t tcp_flags = 0x10) {
    return put(nf_internal, flow(nf_internal, protocol, tcp_flags));
  }
  bool in(std::uint8_t protocol, std::uint8_t tcp_flags = 0x10) {
    return put(nf_external, flow(nf_external, protocol, tcp_flags));
  }
  /// True if the flow exists just before so many seconds have passed, and is forgotten at the end.
  /// A flow without answers is refreshed from inside, because an answer would change its state.
  bool lasts(std::uint64_t seconds, std::uint8_t protocol, bool is_answered = true) {
    now_ += seconds * second - 1;
    const bool is_there = is_answered && protocol != tcp ? in(protocol) : out(protocol);
    now_ += seconds * second;
    return is_there && !in(protocol);
  }

  MemoryIo io_;
  std::uint64_t now_ = second;
};

} // namespace nf

#endif
