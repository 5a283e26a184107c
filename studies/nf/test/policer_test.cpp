// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Packets that the policer lets pass. Variants must behave like native code.
#include <algorithm>
#include <span>

#include <gtest/gtest.h>

#include <sartor/sartor.hpp>

#include "policer_scenes.h"
#include "policer_state.h"
#include "traces.h"

namespace nf {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

std::uint32_t network_order(std::uint32_t number) { return __builtin_bswap32(number); }

PolicerClass class_of(std::uint32_t network, unsigned bits, std::uint64_t rate,
                      std::uint64_t burst) {
  const std::uint32_t mask = bits == 0 ? 0 : ~0U << (32 - bits);
  return {network_order(network & mask), network_order(mask), rate, burst * kSecond,
          burst * kSecond / rate};
}

class Policer : public testing::Test {
protected:
  Policer() {
    policer_config = {
        .classes = {class_of(0x0a000001, 32, 1000, 1500), class_of(0x0a000000, 24, 10000, 5000)},
        .count = 2};
    forget(1024);
  }
  ~Policer() override { policer_buckets_free(&policer_state.buckets); }

  static void forget(std::uint32_t slots) {
    policer_buckets_free(&policer_state.buckets);
    std::ranges::fill(policer_state.counts, 0);
    ASSERT_TRUE(policer_buckets_make(&policer_state.buckets, slots, 5));
  }

  /// The verdict for a packet of `bytes` bytes of IPv4 to a destination.
  std::uint8_t at(std::uint64_t now, std::uint32_t destination, std::size_t bytes,
                  NfSide side = nf_external) {
    io_.set_time(now);
    Frame frame{.source = 0x01020304, .destination = destination};
    frame.payload.resize(bytes - 28);
    io_.put(side, bytes_of(frame));
    EXPECT_EQ(policer_poll(&io_.io(), side), 1U);
    return io_.take().at(0).verdict;
  }

  MemoryIo io_;
};

TEST_F(Policer, LetsABurstThroughAndThenTheRate) {
  std::uint64_t now = kSecond;
  EXPECT_EQ(at(now, 0x0a000001, 1000), nf_pass_on);
  EXPECT_EQ(at(now, 0x0a000001, 500), nf_pass_on);
  EXPECT_EQ(at(now, 0x0a000001, 28), nf_drop);
  now += 28 * kSecond / 1000 - 1;
  EXPECT_EQ(at(now, 0x0a000001, 28), nf_drop);
  EXPECT_EQ(at(now + 1, 0x0a000001, 28), nf_pass_on);
  EXPECT_EQ(at(now + 100 * kSecond, 0x0a000001, 1500), nf_pass_on);
  EXPECT_EQ(at(now + 100 * kSecond, 0x0a000001, 28), nf_drop);
}

// Each packet adds a fraction of a byte to the bucket.
TEST_F(Policer, LosesNothingOfTheRateHoweverOftenItLooks) {
  std::uint64_t now = kSecond;
  EXPECT_EQ(at(now, 0x0a000001, 1500), nf_pass_on);
  std::size_t passed = 0;
  for (unsigned i = 0; i < 10'000; ++i)
    passed += at(now += 100'000, 0x0a000001, 100) == nf_pass_on;
  EXPECT_EQ(passed, 10U);
}

TEST_F(Policer, GivesEachDestinationABucketOfItsClass) {
  EXPECT_EQ(at(0, 0x0a000002, 5000), nf_pass_on);
  EXPECT_EQ(at(0, 0x0a000003, 5000), nf_pass_on);
  EXPECT_EQ(at(0, 0x0a000002, 28), nf_drop);
  EXPECT_EQ(at(0, 0x0b000000, 9000), nf_pass_on);
  EXPECT_EQ(at(0, 0x0a000002, 9000, nf_internal), nf_pass_on);
  EXPECT_EQ(policer_state.counts[policer_unpoliced], 1U);
  EXPECT_EQ(policer_state.counts[policer_outbound], 1U);
}

TEST_F(Policer, DropsWhatItHasNoRoomForAndMakesRoom) {
  forget(1);
  for (std::uint32_t host = 2; host < 2 + nf_window; ++host)
    EXPECT_EQ(at(0, 0x0a000000 + host, 100), nf_pass_on);
  EXPECT_EQ(at(0, 0x0a0000ff, 100), nf_drop);
  EXPECT_EQ(policer_state.counts[policer_table_full], 1U);
  std::uint32_t cursor = 0;
  policer_buckets_sweep(
      &policer_state.buckets, &cursor, 40,
      [](const PolicerKey *, const PolicerBucket *, void *) { return 1; }, nullptr);
  EXPECT_EQ(policer_state.buckets.count, 0U);
  EXPECT_EQ(at(0, 0x0a0000ff, 100), nf_pass_on);
}

TEST_F(Policer, TakesWhatIsBrokenAwayAndLetsOtherProtocolsThrough) {
  Bytes frame = bytes_of({.source = 1, .destination = 0x0a000002});
  io_.put(nf_external, Bytes(frame.begin(), frame.begin() + 20));
  frame[at_ip + 8] ^= 1U;
  io_.put(nf_external, frame);
  frame[13] = 6;
  io_.put(nf_external, frame);
  policer_poll(&io_.io(), nf_external);
  const auto sent = io_.take();
  EXPECT_EQ(sent.at(0).verdict, nf_drop);
  EXPECT_EQ(sent.at(1).verdict, nf_drop);
  EXPECT_EQ(sent.at(2).verdict, nf_pass_on);
  EXPECT_EQ(policer_state.counts[policer_broken], 2U);
  EXPECT_EQ(policer_state.counts[policer_other], 1U);
}

TEST_F(Policer, DoesTheSameInVariants) {
  const Trace trace = random_trace(1, 4000, to_few_hosts);
  const auto wanted = run(trace, io_, policer_poll);
  const auto counts = std::to_array(policer_state.counts);
  ASSERT_GT(counts[policer_exceeded], 100U);
  ASSERT_GT(counts[policer_broken], 100U);
  sartor::Runtime runtime;
  auto poll = runtime.handler<&policer_poll>();
  const sartor::Invariant invariant(&policer_config, sizeof policer_config);
  forget(1024);
  runtime.instrument({{"policer.FLOW", 1}});
  run(trace, io_, [&](NfIo *own, NfSide side) { return poll(own, side); });
  runtime.instrument({});
  for (const std::int64_t batch : {1, 8, 256})
    for (const std::int64_t at_once : {4, 32}) {
      forget(1024);
      MemoryIo io;
      runtime.specialize({{"policer.BATCH_SIZE", sartor::unguarded(batch)},
                          {"policer.PREFETCH", sartor::unguarded(4)},
                          {"policer.PROBE", sartor::unguarded(at_once)},
                          {"policer.FLOW", 4}});
      const auto sent = run(trace, io, [&](NfIo *own, NfSide side) { return poll(own, side); });
      EXPECT_EQ(sent, wanted) << batch << ' ' << at_once;
      EXPECT_EQ(std::to_array(policer_state.counts), counts);
    }
}

} // namespace
} // namespace nf
