// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// lwIP's send path, generic and specialized to the usual state: packets and results must be equal,
/// whatever is sent, changed, acknowledged or closed in between.

#include <algorithm>
#include <functional>
#include <iterator>
#include <sstream>

#include <gtest/gtest.h>

#include "apart.h"
#include "sequence.h"

namespace sartor::send {
namespace {

constexpr std::size_t kSteps = 120;
constexpr std::size_t kRounds = 6;

/// How often a sequence is tried: it waits only 10 s for specialized code.
constexpr int kTries = 5;

/// An outcome, and a text with the observations.
struct Report {
  Outcome outcome;
  std::string seen;
};

// Runs in a child process, because lwIP exists once in a process.
Report run_apart(const std::function<Outcome()> &run) {
  const std::string text = in_process_apart([&](FILE *out) {
    const Outcome outcome = run();
    std::fprintf(out, "%lu %lu %lu %lu %lu", outcome.sent, outcome.broken, outcome.refused,
                 outcome.not_refused, outcome.times_specialized);
    for (const unsigned thread : outcome.order)
      std::fprintf(out, " %u", thread);
    std::fputc('\n', out);
    std::fwrite(outcome.seen.data(), 1, outcome.seen.size(), out);
  });
  Report reported;
  std::istringstream words(text.substr(0, text.find('\n')));
  words >> reported.outcome.sent >> reported.outcome.broken >> reported.outcome.refused >>
      reported.outcome.not_refused >> reported.outcome.times_specialized;
  for (unsigned thread = 0; words >> thread;)
    reported.outcome.order.push_back(static_cast<std::uint8_t>(thread));
  EXPECT_FALSE(text.starts_with('!')) << text;
  reported.seen = text.substr(text.find('\n') + 1);
  return reported;
}

void expect_same(const Report &generic, const Report &specialized) {
  EXPECT_EQ(generic.outcome.sent, specialized.outcome.sent);
  EXPECT_GT(generic.seen.size(), 10'000U);
  ASSERT_EQ(generic.seen.size(), specialized.seen.size());
  const auto differs = std::ranges::mismatch(generic.seen, specialized.seen).in1;
  EXPECT_EQ(std::distance(generic.seen.begin(), differs),
            static_cast<std::ptrdiff_t>(generic.seen.size()));
}

class SendTest : public testing::TestWithParam<std::uint64_t> {};

TEST_P(SendTest, SendsTheSamePackets) {
  const Report generic = run_apart([&] { return run_sequence(GetParam(), kSteps, Way::generic); });
  Report specialized;
  for (int tries = 0; tries < kTries && specialized.outcome.times_specialized == 0; ++tries)
    specialized = run_apart([&] { return run_sequence(GetParam(), kSteps, Way::specialized); });
  EXPECT_GT(generic.outcome.sent, kSteps / 4);
  expect_same(generic, specialized);
  // Not all calls ran generic code.
  EXPECT_GT(specialized.outcome.times_specialized, 0U);
  EXPECT_GT(specialized.outcome.broken, 0U);
}

TEST_P(SendTest, SendsTheSamePacketsWhileAnotherThreadInvalidatesQuasiInvariants) {
  Report specialized;
  for (int tries = 0; tries < kTries && specialized.outcome.times_specialized != kRounds; ++tries)
    specialized = run_apart([&] { return run_threads(GetParam(), kRounds); });
  const Report generic =
      run_apart([&] { return run_in_order(GetParam(), specialized.outcome.order); });
  expect_same(generic, specialized);
  EXPECT_EQ(generic.outcome.order, specialized.outcome.order);
  EXPECT_EQ(specialized.outcome.times_specialized, kRounds);
  EXPECT_GT(specialized.outcome.broken, 0U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SendTest, testing::Values(2, 4));

} // namespace
} // namespace sartor::send
