// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_STUDIES_NF_NAT_FIXTURE_H
#define SARTOR_TEST_STUDIES_NF_NAT_FIXTURE_H

#include <optional>

#include <gtest/gtest.h>

#include "nat_control.h"
#include "read_frame.h"
#include "traces.h"

namespace nf {

/// NAT with one outside address, no filter, and one forward.
class NatTest : public testing::Test {
protected:
  static constexpr std::uint64_t second = 1'000'000'000;
  static constexpr std::uint32_t host = 0x0a000005;
  static constexpr std::uint32_t other_host = 0x0a000006;
  static constexpr std::uint32_t ours = 0xc0000201;
  static constexpr std::uint32_t remote = 0x08080808;
  static constexpr std::uint32_t other_remote = 0x09090909;
  static constexpr std::uint8_t icmp = IPPROTO_ICMP;
  static constexpr std::uint8_t tcp = IPPROTO_TCP;
  static constexpr std::uint8_t udp = IPPROTO_UDP;

  NatTest();
  ~NatTest() override;

  static std::uint32_t turned(std::uint32_t number) { return __builtin_bswap32(number); }
  static std::uint16_t turned(std::uint16_t number) { return __builtin_bswap16(number); }

  /// Processes a frame and returns the result; returns nothing if it is dropped. Expects all
  /// checksums to be right.
  std::optional<Frame> put(NfSide side, const Bytes &bytes);
  std::optional<Frame> leave(const Frame &frame) { return put(nf_internal, bytes_of(frame)); }
  std::optional<Frame> enter(const Frame &frame) { return put(nf_external, bytes_of(frame)); }
  /// The verdict on the last frame.
  [[nodiscard]] std::uint8_t verdict() const { return verdict_; }
  /// The outside port from which a datagram is sent; 0 if it is dropped.
  std::uint16_t port_of(std::uint32_t source, std::uint16_t port,
                        std::uint32_t destination = remote);
  bool answers(std::uint16_t port, std::uint32_t source = remote, std::uint16_t source_port = 53);
  static std::uint64_t count(NatOutcome outcome) { return nat_state.counts[outcome]; }
  /// Expects both tables to be consistent.
  static void expect_consistent();

  MemoryIo io_;
  std::uint64_t now_ = second;

private:
  std::uint8_t verdict_ = nf_drop;
};

} // namespace nf

#endif
