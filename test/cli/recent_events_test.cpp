// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/live/top/recent_events.h"
#include "tools/cli/live/top/view.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace sartor::cli {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> texts(const RecentEvents &events) {
  std::vector<std::string> all;
  for (const RecentEvents::Line &line : events.lines())
    all.push_back(line.text());
  return all;
}

Json failure(double seconds, const char *text) {
  return {{"t", seconds},
          {"event", "failure"},
          {"handler", "blend"},
          {"text", text},
          {"message", "is quarantined"}};
}

TEST(RecentEvents, RepeatedOnesAreOneLineWithTheTimeOfTheLatest) {
  RecentEvents events;
  for (int i = 1; i <= 3; ++i) {
    events.add(failure(i, "{B=16}"));
    events.add(failure(i + 0.5, "{B=8}"));
  }
  events.add(failure(9, "{B=4}"));
  EXPECT_THAT(texts(events),
              testing::ElementsAre("     3.000  failure            blend{B=16}: is quarantined x 3",
                                   "     3.500  failure            blend{B=8}: is quarantined x 3",
                                   "     9.000  failure            blend{B=4}: is quarantined"));
}

TEST(RecentEvents, ADifferenceIsAlarming) {
  RecentEvents events;
  events.add({{"t", 1},
              {"event", "difference"},
              {"handler", "_Z5blendi"},
              {"text", "{B=16}"},
              {"message", "gave another result"}});
  events.add({{"t", 2}, {"event", "template"}, {"text", "blend{B=8}"}});
  ASSERT_EQ(events.lines().size(), 2U);
  EXPECT_TRUE(events.lines()[0].is_alarming());
  EXPECT_EQ(events.lines()[0].words, "blend{B=16}: gave another result");
  EXPECT_FALSE(events.lines()[1].is_alarming());
}

TEST(RecentEvents, FrequentOnesAreLeftOut) {
  RecentEvents events;
  for (const char *kind : {"switch", "window", "guards"})
    events.add({{"t", 1}, {"event", kind}});
  EXPECT_TRUE(events.lines().empty());
}

TEST(RecentEvents, TheOldestAreDropped) {
  RecentEvents events;
  for (int i = 0; i < 1000; ++i)
    events.add({{"t", i}, {"event", "operator"}, {"number", i}});
  EXPECT_LT(events.lines().size(), 1000U);
  EXPECT_THAT(events.lines().back().words, testing::HasSubstr("number=999"));
}

TEST(RecentEvents, EventsOfAnyFormAreShown) {
  RecentEvents events;
  events.add({{"event", 7}, {"t", "soon"}, {"text", {1, 2}}});
  events.add(Json::object());
  EXPECT_EQ(events.lines().size(), 1U); // both are empty
}

TEST(TopView, ShowsAProcessWithoutHandlers) {
  Snapshot now;
  now.status = {
      {"program", "idle"},          {"pid", 4711},
      {"uptime_seconds", 1},        {"sartor", "1.0"},
      {"runtimes", Json::array()},  {"compile_queue", {{"running", Json::array()}, {"waiting", 0}}},
      {"explorers", Json::array()}, {"quasi_invariants", Json::array()}};
  const auto lines = view(now, nullptr, 80, 0, std::nullopt); // as with --once
  ASSERT_FALSE(lines.empty());
  EXPECT_THAT(lines.front().text, testing::HasSubstr("idle  pid 4711"));
}

} // namespace
} // namespace sartor::cli
