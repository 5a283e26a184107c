// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/profile.hpp>

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sartor {
namespace {

PointProfile call_point(std::vector<ProfileEntry> entries) {
  PointProfile point;
  point.kind = PointKind::fast_path;
  point.type = {PointType::Class::integer, 32, true};
  point.arguments = {{PointType::Class::pointer, 64, false},
                     {PointType::Class::floating, 64, false}};
  for (const ProfileEntry &entry : entries)
    point.count += entry.count;
  point.entries = std::move(entries);
  return point;
}

PointProfile generic_point(std::uint64_t from, std::uint64_t to, std::uint64_t count) {
  PointProfile point;
  for (std::uint64_t i = from; i < to; ++i) {
    point.entries.push_back({{i}, count});
    point.count += count;
  }
  return point;
}

template <class Body> Failure failure_of(Body body) {
  try {
    body();
  } catch (const Error &error) {
    return error.failure();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(Profile, JsonCarriesAllOfIt) {
  PointProfile odd = generic_point(0, 3, 5);
  odd.kind = PointKind::assume;
  odd.type = {PointType::Class::boolean, 32, false};
  odd.other = 7;
  odd.error_bound = 2;
  const Profile profile("abc",
                        {{"call", call_point({{{"table", 0.5}, 9, -3, 12},
                                              {{1ULL << 63, -0.0}, 4, std::nullopt, std::nullopt},
                                              {{0, HUGE_VAL}, 1, 8, std::nullopt}})},
                         {"odd", odd}});
  EXPECT_EQ(Profile::from_json(profile.json()), profile);
}

TEST(Profile, JsonCarriesCallsWithoutArguments) {
  PointProfile point;
  point.kind = PointKind::custom;
  point.type = {PointType::Class::integer, 32, true};
  point.count = 3;
  point.entries.push_back({{}, 3, 7, std::nullopt});
  const Profile profile("p", {{"call", point}});
  EXPECT_EQ(Profile::from_json(profile.json()), profile);
}

TEST(Profile, NumbersInJsonGetTheTypesOfTheirPoint) {
  PointProfile point = call_point({{{0, 2.0}, 4, 1, std::nullopt}});
  point.type = {PointType::Class::floating, 64, false};
  point.entries[0].result = 1.0;
  const Profile profile("p", {{"call", point}});
  std::string text = profile.json();
  for (const char *number : {"1.0", "2.0"}) { // as some programs write them
    const auto at = text.find(number);
    ASSERT_NE(at, std::string::npos) << text;
    text.erase(at + 1, 2);
  }
  EXPECT_EQ(Profile::from_json(text), profile);
  const std::string inputs = R"("inputs":[0,2])";
  for (const char *wrong : {R"("inputs":[0.5,2])", R"("inputs":[0,"table"])"}) {
    std::string bad = text;
    const auto at = bad.find(inputs);
    ASSERT_NE(at, std::string::npos) << bad;
    bad.replace(at, inputs.size(), wrong);
    EXPECT_EQ(failure_of([&] { (void)Profile::from_json(bad); }).code, ErrorCode::bad_json) << bad;
  }
}

TEST(Profile, PointsOfOneProgramAreCompared) {
  PointProfile shorter = call_point({});
  shorter.arguments.pop_back();
  Profile profile("p", {{"call", call_point({})}});
  const Failure failure = failure_of([&] { profile.merge(Profile("p", {{"call", shorter}})); });
  EXPECT_EQ(failure.code, ErrorCode::wrong_profile);
  EXPECT_EQ(failure.subject, "call");
}

TEST(Profile, BadJsonIsRefusedByLabel) {
  for (const char *text : {"", "[]", "{}", R"({"program":"x","points":[]})", R"({"points":{}})"})
    EXPECT_EQ(failure_of([&] { (void)Profile::from_json(text); }).code, ErrorCode::bad_json)
        << text;
  const std::string good = Profile("p", {{"K", generic_point(1, 2, 3)}}).json();
  for (const auto &[part, bad] :
       std::map<std::string, std::string>{{R"("kind":"generic")", R"("kind":"odd")"},
                                          {R"("type":"u64")", R"("type":"u6x")"},
                                          {R"("count":3,"other")", R"("count":-3,"other")"},
                                          {R"("entries":[)", R"("entries":[7,)"},
                                          {R"("inputs":[1])", R"("inputs":[1,2])"},
                                          {R"("inputs":[1])", R"("inputs":[null])"}}) {
    std::string text = good;
    const auto at = text.find(part);
    ASSERT_NE(at, std::string::npos) << part << " in " << text;
    text.replace(at, part.size(), bad);
    const Failure failure = failure_of([&] { (void)Profile::from_json(text); });
    EXPECT_EQ(failure.code, ErrorCode::bad_json) << text;
    EXPECT_EQ(failure.subject, "K") << text;
  }
}

TEST(Profile, MergingAddsUp) {
  PointProfile other = generic_point(2, 4, 10);
  other.other = 1;
  other.error_bound = 3;
  other.count += 1;
  Profile profile("p", {{"K", generic_point(1, 3, 5)}});
  profile.merge(Profile("p", {{"K", other}, {"L", generic_point(0, 1, 1)}}));
  const PointProfile *merged = profile.find("K");
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->count, 31U);
  EXPECT_EQ(merged->other, 1U);
  EXPECT_EQ(merged->error_bound, 3U);
  const std::vector<ProfileEntry> expected{{{2}, 15}, {{3}, 10}, {{1}, 5}};
  EXPECT_EQ(merged->entries, expected);
  ASSERT_TRUE(profile.find("L"));
  EXPECT_EQ(profile.find("L")->count, 1U);
}

TEST(Profile, MergingWithItselfDoublesIt) {
  Profile profile("p", {{"K", generic_point(1, 3, 5)}});
  profile.merge(profile);
  const std::vector<ProfileEntry> expected{{{2}, 10}, {{1}, 10}};
  EXPECT_EQ(profile.find("K")->count, 20U);
  EXPECT_THAT(profile.find("K")->entries, testing::UnorderedElementsAreArray(expected));
}

TEST(Profile, MergingKeepsTheFrequentAndBoundsTheError) {
  Profile profile("p", {{"K", generic_point(0, 3000, 4)}});
  profile.merge(Profile("p", {{"K", generic_point(2900, 6000, 10)}}));
  const PointProfile &merged = *profile.find("K");
  EXPECT_LE(merged.entries.size(), 4096U);
  EXPECT_EQ(merged.count, 3000U * 4 + 3100U * 10);
  std::uint64_t listed = merged.other;
  for (const ProfileEntry &entry : merged.entries)
    listed += entry.count;
  EXPECT_EQ(listed, merged.count);
  EXPECT_EQ(merged.error_bound, 10U);
  EXPECT_EQ(merged.entries.front().count, 4U); // out of 14
}

TEST(Profile, ResultsThatContradictEachOtherAreDropped) {
  Profile profile("p", {{"call", call_point({{{"t", 1.0}, 1, 5}, {{"t", 2.0}, 1, 6}})}});
  profile.merge(Profile("p", {{"call", call_point({{{"t", 1.0}, 1, 4}, {{"t", 2.0}, 1, 6}})}}));
  const auto &entries = profile.find("call")->entries;
  EXPECT_EQ(entries[0].result, std::nullopt);
  EXPECT_EQ(entries[1].result, Value(6));
}

TEST(Profile, TheNewerVersionsResultWins) {
  Profile profile("p", {{"call", call_point({{{"t", 1.0}, 1, 5, 2}, {{"t", 2.0}, 1, 6, 2}})}});
  profile.merge(
      Profile("p", {{"call", call_point({{{"t", 1.0}, 1, 4, 3}, {{"t", 2.0}, 1, 7, 1}})}}));
  const auto &entries = profile.find("call")->entries;
  EXPECT_EQ(entries[0].result, Value(4));
  EXPECT_EQ(entries[0].version, 3U);
  EXPECT_EQ(entries[1].result, Value(6));
}

TEST(Profile, AnotherProgramsProfileIsRefusedByTheFirstLabelThatDiffers) {
  Profile profile("p", {{"A", generic_point(0, 1, 1)}, {"K", generic_point(0, 1, 1)}});
  const Profile before = profile;
  PointProfile other = generic_point(0, 1, 1);
  other.type.bits = 32;
  const auto merge = [&](Profile::Points points) {
    return failure_of([&] { profile.merge(Profile("q", std::move(points))); });
  };
  Failure failure = merge({{"A", generic_point(0, 1, 1)}, {"K", other}});
  EXPECT_EQ(failure.code, ErrorCode::wrong_profile);
  EXPECT_EQ(failure.subject, "K");
  EXPECT_EQ(merge({{"A", generic_point(0, 1, 1)}}).subject, "K");
  EXPECT_EQ(merge({{"B", other}}).subject, "B");
  failure = merge(before.points());
  EXPECT_EQ(failure.code, ErrorCode::wrong_profile) << "other handlers under the same points";
  EXPECT_EQ(failure.subject, "q");
  EXPECT_EQ(profile, before);
}

TEST(Profile, SharesAreOfAllThatWasSeen) {
  PointProfile point = generic_point(0, 4, 10);
  point.count = 80;
  point.other = 40;
  EXPECT_DOUBLE_EQ(point.share(1), 0.125);
  EXPECT_DOUBLE_EQ(point.share(100), 0.5);
  EXPECT_DOUBLE_EQ(PointProfile().share(1), 0);
}

} // namespace
} // namespace sartor
