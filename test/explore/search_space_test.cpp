// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/search_space.hpp>

#include <cstdint>
#include <functional>
#include <gmock/gmock.h>
#include <limits>
#include <optional>
#include <set>

namespace sartor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

Space example() {
  return Space(
      {{.label = "B", .kind = PointKind::enumeration, .choices = {2, 4}},
       {.label = "N"},
       {.label = "hit", .kind = PointKind::assume, .type = {PointType::Class::boolean, 1, false}}});
}

/// What the function throws.
std::optional<Failure> failure_of(const std::function<void()> &function) {
  try {
    function();
  } catch (const Error &error) {
    return error.failure();
  }
  return std::nullopt;
}

TEST(SearchSpace, IsTheProductOfAllValuesAndGeneric) {
  const SearchSpace space(example(), {});
  EXPECT_EQ(space.combinations(), 6U);
  EXPECT_THAT(space.all(), UnorderedElementsAre(Configuration{}, Configuration{{"B", 2}},
                                                Configuration{{"B", 4}}, Configuration{{"hit", 1}},
                                                Configuration{{"B", 2}, {"hit", 1}},
                                                Configuration{{"B", 4}, {"hit", 1}}));
}

TEST(SearchSpace, GenericCodeComesFirst) {
  EXPECT_EQ(SearchSpace(example(), {{"N", {1}}}).all().front(), Configuration());
}

TEST(SearchSpace, OfNoPointsIsTheGenericCode) {
  EXPECT_THAT(SearchSpace(Space(), {}).all(), ElementsAre(Configuration()));
  EXPECT_THAT(SearchSpace().all(), ElementsAre(Configuration()));
}

TEST(SearchSpace, ChoicesStandForAPointsOwnValues) {
  const Space space({{.label = "B", .kind = PointKind::enumeration, .choices = {2, 4, 8}}});
  EXPECT_THAT(SearchSpace(space, {{"B", {8, 8}}}).all(),
              ElementsAre(Configuration(), Configuration{{"B", 8}}));
}

TEST(SearchSpace, NoChoicesLeaveAPointAlone) {
  EXPECT_THAT(SearchSpace(example(), {{"B", {}}, {"hit", {}}}).all(), ElementsAre(Configuration()));
}

TEST(SearchSpace, ChoicesTakeTheTypeOfTheirPoint) {
  const Space space({{.label = "x", .type = {PointType::Class::floating, 64, true}}});
  EXPECT_THAT(SearchSpace(space, {{"x", {2}}}).all(),
              ElementsAre(Configuration(), Configuration{{"x", 2.0}}));
}

TEST(SearchSpace, PointsThatCannotBeSpecializedAreLeftOut) {
  const Space space({{.label = "B",
                      .kind = PointKind::enumeration,
                      .choices = {2, 4},
                      .sites = {{.function = "f", .file = "", .problem = "in a coroutine"}}}});
  EXPECT_TRUE(SearchSpace(space, {}).dimensions().empty());
}

TEST(SearchSpace, UnknownLabelInChoicesIsAnError) {
  for (const auto &values : {std::vector<Value>{1}, std::vector<Value>{}}) {
    const auto failure = failure_of([&] { SearchSpace(example(), {{"M", values}}); });
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->code, ErrorCode::unknown_label);
    EXPECT_EQ(failure->subject, "M");
  }
}

TEST(SearchSpace, WrongValueInChoicesIsAnError) {
  EXPECT_EQ(failure_of([] { SearchSpace(example(), {{"B", {3}}}); })->code,
            ErrorCode::value_outside_choices);
  EXPECT_EQ(failure_of([] { SearchSpace(example(), {{"N", {"x"}}}); })->code,
            ErrorCode::bad_value_type);
}

TEST(SearchSpace, TooLargeToBeListedIsAnErrorThatSaysWhatToDo) {
  std::vector<Value> hundred;
  for (int i = 0; i < 100; ++i)
    hundred.emplace_back(i);
  const Space points({{.label = "a"}, {.label = "b"}});
  const SearchSpace space(points, {{"a", hundred}, {"b", hundred}});
  const auto failure = failure_of([&] { std::ignore = space.all(); });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, ErrorCode::bad_objective);
  EXPECT_THAT(failure->remedy, HasSubstr("choices"));
}

TEST(SearchSpace, CountsMoreCombinationsThanFitIntoAWord) {
  std::vector<Dimension> dimensions;
  for (int i = 0; i < 24; ++i)
    dimensions.push_back({.label = std::to_string(i), .settings = {1, 2, 3, 4, 5, 6, 7}});
  EXPECT_EQ(SearchSpace(dimensions).combinations(), std::numeric_limits<std::uint64_t>::max());
}

TEST(SearchSpace, RangeOfAllIntegersIsRefusedWithoutListingIt) {
  const Space space({{.label = "a",
                      .kind = PointKind::range,
                      .choices = {0, std::numeric_limits<std::uint64_t>::max()}}});
  EXPECT_EQ(failure_of([&] { SearchSpace(space, {}); })->code, ErrorCode::bad_objective);
  EXPECT_EQ(SearchSpace(space, {{"a", {5}}}).combinations(), 2U);
}

TEST(SearchSpace, LabelsThatOnlyTuneAreSetWithoutAGuard) {
  for (const Configuration &configuration : SearchSpace(example(), {}, {"B"}).all())
    for (const auto &[label, setting] : configuration)
      EXPECT_EQ(setting.guarded, label != "B") << configuration.text();
}

TEST(SearchSpace, AnUnknownLabelToLeaveUnguardedIsAnError) {
  EXPECT_EQ(failure_of([] { SearchSpace(example(), {}, {"none"}); })->code,
            ErrorCode::unknown_label);
}

TEST(SearchSpace, PlacesAndConfigurationsAreTheSame) {
  const SearchSpace space(example(), {{"N", {5, 3}}});
  for (const Configuration &configuration : space.all())
    EXPECT_EQ(space.at(space.place_of(configuration).value()), configuration);
  EXPECT_EQ(space.place_of({{"N", 3}}), (SearchSpace::Place{0, 1, 0}));
}

TEST(SearchSpace, WhatIsOutsideHasNoPlace) {
  const SearchSpace space(example(), {});
  EXPECT_FALSE(space.place_of({{"B", 3}}));
  EXPECT_FALSE(space.place_of({{"M", 3}}));
  EXPECT_FALSE(space.place_of({{"B", unguarded(2)}}));
  EXPECT_FALSE(space.allows(SearchSpace::Place{3, 0}));
  EXPECT_FALSE(space.allows(SearchSpace::Place{0}));
}

TEST(SearchSpace, EveryConfigurationComesUpAtRandom) {
  const SearchSpace space(example(), {});
  std::mt19937_64 generator(7);
  std::set<SearchSpace::Place> seen;
  for (int i = 0; i < 200; ++i)
    seen.insert(space.random(generator));
  EXPECT_EQ(seen.size(), 6U);
}

} // namespace
} // namespace sartor
