// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The load under which the study is measured, and the figures that are computed from it.
#include <numeric>

#include <gmock/gmock.h>

#include "percentile.h"
#include "stand.h"

namespace sartor::echo {
namespace {

TEST(EchoLoadTest, AnswersWhatIsOffered) {
  Stand stand;
  const Stretch slow = stand.stretch(5'000, Load::no_limit, 2'000);
  EXPECT_NEAR(slow.rate, 5'000, 1'000); // time is the server's own: nothing slows the clients
  EXPECT_EQ(stand.load().turned_away(), 0U);
  const auto answered =
      std::accumulate(slow.latencies.begin(), slow.latencies.end(), std::uint64_t{0});
  EXPECT_GE(answered, 2'000U);
  EXPECT_LT(answered, 2'100U); // the last poll may answer several
  EXPECT_GT(percentile(slow.latencies, 0.5), 0);
}

TEST(EchoLoadTest, TurnsAwayWhatIsTooMuch) {
  Stand stand;
  const Stretch full = stand.stretch(Stand::too_much, Stand::under_way, 5'000);
  EXPECT_GT(stand.load().turned_away(), 0U);
  EXPECT_LT(full.rate, Stand::too_much);
  const std::uint64_t away = stand.load().turned_away();
  stand.load().settle(); // no request is left to be sent
  stand.stretch(10'000, Load::no_limit, 500);
  EXPECT_EQ(stand.load().turned_away(), away);
}

TEST(EchoLoadTest, BatchesAreConfigurations) {
  const std::vector<Batches> all = all_batches();
  EXPECT_EQ(all.size(), 64U);
  for (const Batches &each : all)
    EXPECT_EQ(batches_of(each.configuration()), each);
  EXPECT_TRUE((Batches{}.configuration().empty()));
  EXPECT_EQ((Batches{1, 4, 64}.text()), "1/4/64");
  EXPECT_TRUE((Batches{4, 4, 4}.is_single()));
  EXPECT_FALSE((Batches{4, 4, 16}.is_single()));
}

TEST(EchoLoadTest, ExplorerRacesAllSettings) {
  Stand stand;
  const Explorer explorer(stand.runtime(), stand.throughput_within(1), Stand::exploring());
  EXPECT_EQ(explorer.space().all().size(), all_batches().size());
}

TEST(EchoLoadTest, PercentilesAreOfWhatCameBetween) {
  Histogram histogram;
  for (int i = 0; i < 1000; ++i)
    histogram.record(std::chrono::milliseconds(50));
  const Counts before = histogram.counts();
  EXPECT_EQ(percentile(between(before, before), 0.99), 0);
  for (int i = 0; i < 990; ++i)
    histogram.record(std::chrono::microseconds(10));
  for (int i = 0; i < 10; ++i)
    histogram.record(std::chrono::microseconds(1000));
  Counts came = between(before, histogram.counts());
  EXPECT_NEAR(percentile(came, 0.5), 10e-6, 1e-6);
  EXPECT_NEAR(percentile(came, 0.98), 10e-6, 1e-6);
  EXPECT_NEAR(percentile(came, 0.995), 1e-3, 3e-5);
  add(came, before); // all of the difference: half of the requests are slow
  EXPECT_NEAR(percentile(came, 0.75), 50e-3, 1e-3);
}

} // namespace
} // namespace sartor::echo
