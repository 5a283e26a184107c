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

/// The failure that the function throws.
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

TEST(SearchSpace, CoordinatesAndConfigurationsAreTheSame) {
  const SearchSpace space(example(), {{"N", {5, 3}}});
  for (const Configuration &configuration : space.all())
    EXPECT_EQ(space.at(space.coordinates_of(configuration).value()), configuration);
  EXPECT_EQ(space.coordinates_of({{"N", 3}}), (SearchSpace::Coordinates{0, 1, 0}));
}

TEST(SearchSpace, WhatIsOutsideHasNoCoordinates) {
  const SearchSpace space(example(), {});
  EXPECT_FALSE(space.coordinates_of({{"B", 3}}));
  EXPECT_FALSE(space.coordinates_of({{"M", 3}}));
  EXPECT_FALSE(space.coordinates_of({{"B", unguarded(2)}}));
  EXPECT_FALSE(space.allows(SearchSpace::Coordinates{3, 0}));
  EXPECT_FALSE(space.allows(SearchSpace::Coordinates{0}));
}

TEST(SearchSpace, EveryConfigurationComesUpAtRandom) {
  const SearchSpace space(example(), {});
  std::mt19937_64 generator(7);
  std::set<SearchSpace::Coordinates> seen;
  for (int i = 0; i < 200; ++i)
    seen.insert(space.random(generator));
  EXPECT_EQ(seen.size(), 6U);
}

SearchSpace tiles(Constraints constraints) {
  return SearchSpace({{.label = "a", .settings = {1, 2, 3, 4}},
                      {.label = "b", .settings = {1, 2, 3, 4}},
                      {.label = "c", .settings = {1, 2, 3, 4}},
                      {.label = "name", .settings = {"x", "y"}, .is_ordered = false}},
                     std::move(constraints));
}

const Constraints &of_all_kinds() {
  static const Constraints constraints{
      .relations = {"a * c <= 6", "a + b + c != 5"},
      .conditions = {{"a", {"name", {"x"}}}, {"c", {"a", {2, 3}}}},
      .forbidden = {{{"b", any_of({1, 3})}, {"name", "x"}}, {{"a", 1}, {"b", 4}}}};
  return constraints;
}

/// Finds the allowed configurations by trying all, with constraints checked by a Space.
std::set<Configuration> allowed_by_brute_force(const Constraints &constraints) {
  Space space({{.label = "a"},
               {.label = "b"},
               {.label = "c"},
               {.label = "name", .type = {PointType::Class::pointer, 64, false}}});
  space.constrain(constraints);
  std::set<Configuration> allowed;
  for (const Configuration &configuration : tiles({}).all())
    if (!space.check(configuration))
      allowed.insert(configuration);
  return allowed;
}

std::set<Configuration> as_set(const std::vector<Configuration> &configurations) {
  std::set<Configuration> set(configurations.begin(), configurations.end());
  EXPECT_EQ(set.size(), configurations.size()) << "some come up twice";
  return set;
}

TEST(SearchSpace, AllIsWhatConstraintsAllow) {
  const auto allowed = allowed_by_brute_force(of_all_kinds());
  ASSERT_GT(allowed.size(), 10U);
  ASSERT_LT(allowed.size(), 375U);
  EXPECT_EQ(as_set(tiles(of_all_kinds()).all()), allowed);
}

TEST(SearchSpace, AllIsWhatAnyConstraintsAllow) {
  std::mt19937_64 generator(3);
  const auto pick = [&](int most) { return std::uniform_int_distribution(1, most)(generator); };
  const std::vector<std::string> labels{"a", "b", "c"};
  for (int round = 0; round < 60; ++round) {
    Constraints constraints;
    for (int i = pick(3); i > 1; --i)
      constraints.relations.push_back(labels[pick(3) - 1] + " * " + labels[pick(3) - 1] +
                                      (pick(2) == 1 ? " <= " : " != ") + std::to_string(pick(9)));
    for (int i = pick(3); i > 1; --i)
      constraints.conditions[labels[pick(3) - 1]] = {labels[pick(3) - 1], {pick(4), pick(4)}};
    for (int i = pick(3); i > 1; --i)
      constraints.forbidden.push_back(
          {{labels[pick(3) - 1], pick(4)}, {"name", pick(2) == 1 ? "x" : "y"}});
    const SearchSpace space = tiles(constraints);
    const auto allowed = allowed_by_brute_force(constraints);
    EXPECT_EQ(as_set(space.all()), allowed) << space.json();
    for (int i = 0; i < 20; ++i)
      EXPECT_TRUE(allowed.contains(space.at(space.random(generator)))) << space.json();
  }
}

TEST(SearchSpace, AllowsWhatConstraintsAllow) {
  const SearchSpace space = tiles(of_all_kinds());
  const auto allowed = allowed_by_brute_force(of_all_kinds());
  for (const Configuration &configuration : tiles({}).all()) {
    EXPECT_EQ(space.allows(configuration), allowed.contains(configuration)) << configuration;
    EXPECT_EQ(space.allows(space.coordinates_of(configuration).value()),
              allowed.contains(configuration));
  }
}

TEST(SearchSpace, EverythingThatIsAllowedComesUpAtRandomAndNothingElse) {
  const SearchSpace space = tiles(of_all_kinds());
  std::mt19937_64 generator(7);
  std::set<Configuration> seen;
  for (int i = 0; i < 20'000; ++i)
    seen.insert(space.at(space.random(generator)));
  EXPECT_EQ(seen, allowed_by_brute_force(of_all_kinds()));
}

/// Twenty points, each of which may only be set together with the next one; the last one may not be
/// set.
SearchSpace hardly_anything(bool nothing) {
  std::vector<Dimension> dimensions;
  Constraints constraints;
  const auto label = [](int i) { return "p" + std::to_string(100 + i); };
  for (int i = 0; i < 20; ++i) {
    dimensions.push_back({.label = label(i), .settings = {1, 2, 3, 4, 5, 6, 7}});
    constraints.relations.push_back(label(i) + " == 3");
    if (i < 19)
      constraints.conditions[label(i)] = {label(i + 1), {3}};
  }
  if (nothing)
    constraints.relations.push_back(label(19) + " == 4");
  return SearchSpace(dimensions, constraints);
}

TEST(SearchSpace, WhatIsAllowedIsFoundAmongVeryMuchThatIsNot) {
  const SearchSpace space = hardly_anything(false);
  EXPECT_EQ(space.all().size(), 21U);
  std::mt19937_64 generator(1);
  std::set<SearchSpace::Coordinates> seen;
  for (int i = 0; i < 300; ++i) {
    seen.insert(space.random(generator));
    ASSERT_TRUE(space.allows(*seen.rbegin()));
  }
  EXPECT_GT(seen.size(), 1U);
}

TEST(SearchSpace, WhereNothingIsAllowedTheGenericCodeIs) {
  std::mt19937_64 generator(1);
  const SearchSpace space = hardly_anything(true);
  EXPECT_EQ(space.at(space.random(generator)), Configuration());
  const SearchSpace small({{.label = "a", .settings = {1, 2}}}, {.relations = {"a > 2"}});
  EXPECT_EQ(small.at(small.random(generator)), Configuration());
  EXPECT_THAT(small.all(), ElementsAre(Configuration()));
}

TEST(SearchSpace, LimitIsOnWhatIsAllowed) {
  const SearchSpace space = tiles({.forbidden = {{{"a", any_of({1, 2, 3})}}, {{"b", 2}}}});
  const std::size_t allowed = 2UZ * 4 * 5 * 3;
  EXPECT_EQ(space.all(allowed).size(), allowed);
  EXPECT_EQ(space.all(std::numeric_limits<std::size_t>::max()).size(), allowed);
  EXPECT_EQ(failure_of([&] { std::ignore = space.all(allowed - 1); })->code,
            ErrorCode::bad_objective);
}

TEST(SearchSpace, SearchingForWhatIsAllowedIsBounded) {
  // The last dimensions decide whether a setting of any of the first forty is allowed.
  std::vector<Dimension> dimensions;
  std::string sum = "0";
  for (int i = 0; i < 42; ++i) {
    const std::string label = "p" + std::to_string(100 + i);
    dimensions.push_back({.label = label, .settings = {1, 2, 3}});
    sum += " + " + label;
  }
  Constraints constraints{.relations = {sum + " < 0"}};
  for (std::size_t i = 0; i + 1 < dimensions.size(); ++i)
    constraints.conditions[dimensions[i].label] = {"p141", {1}};
  const SearchSpace space(dimensions, constraints);
  EXPECT_EQ(failure_of([&] { std::ignore = space.all(100); })->code, ErrorCode::bad_objective);
  std::mt19937_64 generator(1);
  EXPECT_TRUE(space.allows(space.random(generator)));
}

TEST(SearchSpace, TakesOverTheConstraintsOfASpace) {
  Space space = example();
  space.constrain({.relations = {"B < N"}, .conditions = {{"hit", {"B", {2}}}}});
  EXPECT_THAT(SearchSpace(space, {{"N", {3}}}).all(),
              UnorderedElementsAre(Configuration{}, Configuration{{"B", 2}},
                                   Configuration{{"B", 4}}, Configuration{{"N", 3}},
                                   Configuration{{"B", 2}, {"N", 3}},
                                   Configuration{{"B", 2}, {"hit", 1}},
                                   Configuration{{"B", 2}, {"N", 3}, {"hit", 1}}));
}

TEST(SearchSpace, ConstraintsOnWhatIsLeftAloneHold) {
  Space space = example();
  space.constrain({.relations = {"B < N"}, .forbidden = {{{"B", 2}, {"N", 1}}}});
  const SearchSpace without(space, {});
  EXPECT_TRUE(without.constraints().empty());
  EXPECT_EQ(without.all().size(), 6U);
}

TEST(SearchSpace, WhatHangsOnAPointThatIsLeftAloneIsLeftAlone) {
  Space space = example();
  space.constrain({.conditions = {{"hit", {"B", {2}}}, {"B", {"N", {3}}}}});
  EXPECT_TRUE(SearchSpace(space, {}).dimensions().empty());
  EXPECT_EQ(SearchSpace(space, {{"N", {3}}}).dimensions().size(), 3U);
}

TEST(SearchSpace, ConstraintOnNoDimensionIsAnError) {
  EXPECT_EQ(failure_of([] { tiles({.conditions = {{"d", {"a", {1}}}}}); })->code,
            ErrorCode::unknown_label);
  EXPECT_EQ(failure_of([] { tiles({.relations = {"a < d"}}); })->code, ErrorCode::bad_constraint);
  EXPECT_EQ(failure_of([] { tiles({.relations = {"a < name"}}); })->code,
            ErrorCode::bad_constraint);
}

TEST(SearchSpace, TwoDimensionsOfOneLabelAreAnError) {
  EXPECT_EQ(failure_of([] {
              SearchSpace({{.label = "a", .settings = {1}}, {.label = "a", .settings = {2}}});
            })->code,
            ErrorCode::bad_objective);
}

TEST(SearchSpace, IsReadBackFromItsText) {
  const SearchSpace space({{.label = "a", .settings = {1, unguarded(2), any_of({3, 4})}},
                           {.label = "x", .settings = {0.5, 2.0}},
                           {.label = "name", .settings = {"x", "y"}, .is_ordered = false}},
                          {.relations = {"a < x"}, .conditions = {{"a", {"name", {"x"}}}}});
  EXPECT_EQ(SearchSpace::from_json(space.json()), space);
  EXPECT_EQ(SearchSpace::from_json(SearchSpace().json()), SearchSpace());
  EXPECT_EQ(SearchSpace::from_json(R"({"dimensions":[{"label":"a","settings":[1]}]})"),
            SearchSpace({{.label = "a", .settings = {1}}}));
}

TEST(SearchSpace, TextThatIsNoneIsRefused) {
  for (const char *text :
       {"", "[]", "{}", R"({"dimensions":{}})", R"({"dimensions":[1]})",
        R"({"dimensions":[{"label":"a"}]})", R"({"dimensions":[{"label":1,"settings":[1]}]})",
        R"({"dimensions":[{"label":"a","settings":[[]]}]})",
        R"({"dimensions":[{"label":"a","settings":[1],"ordered":1}]})",
        R"({"dimensions":[],"constraints":[]})"})
    EXPECT_EQ(failure_of([&] { SearchSpace::from_json(text); })->code, ErrorCode::bad_json) << text;
}

} // namespace
} // namespace sartor
