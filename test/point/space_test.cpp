// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/space.hpp>

#include <cstdint>
#include <gmock/gmock.h>
#include <limits>

#include "core/space/fit.h"

namespace sartor {
namespace {

using testing::HasSubstr;
using Class = PointType::Class;

constexpr PointType u32{Class::integer, 32, false};
constexpr PointType i32{Class::integer, 32, true};

Space example() {
  return Space({
      {.label = "size", .type = u32, .handlers = {"copy", "matmul"}},
      {.label = "block",
       .kind = PointKind::enumeration,
       .type = u32,
       .choices = {2, 4, 8},
       .sites = {{.function = "matmul", .file = "matmul.cpp", .line = 7}},
       .handlers = {"matmul"}},
      {.label = "shift", .kind = PointKind::range, .type = i32, .choices = {-2, 2}},
      {.label = "scale",
       .kind = PointKind::enumeration,
       .type = {Class::floating, 64, true},
       .choices = {1.0, 2.0}},
      {.label = "hit", .kind = PointKind::assume, .type = {Class::boolean, 1, false}},
  });
}

ErrorCode code_of(const Configuration &configuration) {
  const auto failure = example().check(configuration);
  return failure ? failure->code : ErrorCode{0};
}

constexpr ErrorCode none{0};

TEST(Space, PointsAreSortedByLabelAndFound) {
  const Space space = example();
  EXPECT_EQ(space.points().front().label, "block");
  ASSERT_NE(space.find("scale"), nullptr);
  EXPECT_EQ(space.find("scale")->label, "scale");
  EXPECT_EQ(space.find("scales"), nullptr);
  EXPECT_FALSE(Space().find("scale"));
}

TEST(Space, SaysHowManyArgumentsAFastPathMayHave) {
  const Space space({{.label = "path",
                      .kind = PointKind::fast_path,
                      .type = u32,
                      .sites = {{.function = "f",
                                 .file = "f.cpp",
                                 .line = 1,
                                 .problem = "it takes 5 arguments, not 1 to 4"}},
                      .handlers = {"f"},
                      .arguments = {u32, u32, u32, u32, u32}}});
  const auto failure = space.check({{"path", 4}});
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, ErrorCode::point_not_specializable);
  EXPECT_THAT(failure->message, HasSubstr("5 arguments"));
  EXPECT_THAT(failure->remedy, HasSubstr("at most 4 arguments"));
}

TEST(Space, TheGenericConfigurationIsAlwaysValid) {
  EXPECT_EQ(Space().check({}), std::nullopt);
  EXPECT_EQ(example().check({}), std::nullopt);
}

TEST(Space, UnknownLabelOffersTheNearest) {
  const auto failure = example().check({{"Blok", 2}});
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, ErrorCode::unknown_label);
  EXPECT_EQ(failure->subject, "Blok");
  EXPECT_EQ(failure->remedy, "did you mean \"block\"?");
}

TEST(Space, UnknownLabelLikeNoOtherListsTheLabels) {
  const auto failure = example().check({{"zzzzz", 2}});
  ASSERT_TRUE(failure);
  EXPECT_THAT(failure->remedy, HasSubstr("\"block\", \"hit\", \"scale\""));
}

TEST(Space, EnumTakesItsChoicesOnly) {
  EXPECT_EQ(code_of({{"block", any_of({2, 8})}}), none);
  EXPECT_EQ(code_of({{"block", any_of({2, 3})}}), ErrorCode::value_outside_choices);
}

TEST(Space, ValueOutsideAnEnumListsItsChoices) {
  EXPECT_EQ(example().check({{"block", 3}})->remedy, "choose among 2, 4, 8");
}

TEST(Space, RangeTakesItsBoundsAndNothingBeyond) {
  EXPECT_EQ(code_of({{"shift", any_of({-2, 0, 2})}}), none);
  EXPECT_EQ(code_of({{"shift", 3}}), ErrorCode::value_outside_choices);
  EXPECT_EQ(code_of({{"shift", -3}}), ErrorCode::value_outside_choices);
}

TEST(Space, GenericPointTakesWhatFitsItsType) {
  EXPECT_EQ(code_of({{"size", 4'000'000'000}}), none);
  EXPECT_EQ(code_of({{"size", 5'000'000'000}}), ErrorCode::bad_value_type);
}

TEST(Space, AssumeTakesTrueOnly) {
  EXPECT_EQ(code_of({{"hit", true}}), none);
  EXPECT_EQ(code_of({{"hit", false}}), ErrorCode::value_outside_choices);
  EXPECT_EQ(code_of({{"hit", 2}}), ErrorCode::bad_value_type);
}

TEST(Space, SettingWithoutValuesIsRefused) {
  EXPECT_EQ(code_of({{"block", any_of({})}}), ErrorCode::bad_value_type);
}

TEST(Space, IntegersAreComparedWithFloatingPointChoicesAsNumbers) {
  EXPECT_EQ(code_of({{"scale", 2}}), none);
  EXPECT_EQ(code_of({{"scale", 3}}), ErrorCode::value_outside_choices);
}

TEST(Space, FitGivesTheValuesTheirPointsType) {
  EXPECT_EQ(fit({{"scale", unguarded(2)}, {"block", 4}}, example()),
            (Configuration{{"scale", unguarded(2.0)}, {"block", 4}}));
}

TEST(Space, RestrictKeepsWhatTheHandlerReaches) {
  const Configuration all{{"block", 4}, {"size", unguarded(64)}};
  EXPECT_EQ(example().restrict(all, "copy"), (Configuration{{"size", unguarded(64)}}));
  EXPECT_EQ(example().restrict(all, "matmul"), all);
  EXPECT_EQ(example().restrict(all, "other"), Configuration());
}

TEST(Point, ValuesAreWhatAnExplorationMaySet) {
  const Space space = example();
  EXPECT_EQ(space.find("block")->values(), (std::vector<Value>{2, 4, 8}));
  EXPECT_EQ(space.find("shift")->values(), (std::vector<Value>{-2, -1, 0, 1, 2}));
  EXPECT_EQ(space.find("hit")->values(), std::vector<Value>{1});
  EXPECT_TRUE(space.find("size")->values().empty());
}

TEST(Point, RangeUpToTheLargestIntegerEnds) {
  constexpr auto largest = std::numeric_limits<std::uint64_t>::max();
  const Point point{.label = "x", .kind = PointKind::range, .choices = {largest - 1, largest}};
  EXPECT_EQ(point.values(), (std::vector<Value>{largest - 1, largest}));
}

TEST(PointType, TextIsShort) {
  EXPECT_EQ(u32.text(), "u32");
  EXPECT_EQ(i32.text(), "i32");
  EXPECT_EQ((PointType{Class::boolean, 8, false}).text(), "bool");
  EXPECT_EQ((PointType{Class::floating, 32, true}).text(), "f32");
  EXPECT_EQ((PointType{Class::pointer, 64, false}).text(), "ptr");
}

TEST(Space, JsonHasEveryPoint) {
  const Space space({{.label = "block",
                      .kind = PointKind::enumeration,
                      .type = u32,
                      .choices = {2, 4},
                      .sites = {{.function = "f", .file = "f.cpp", .line = 7, .problem = "why"}},
                      .handlers = {"f"}}});
  const std::string expected =
      R"({"points":[{"label":"block","kind":"enum","type":"u32","choices":[2,4],"handlers":["f"],)"
      R"("sites":[{"function":"f","file":"f.cpp","line":7,"problem":"why"}]}]})";
  EXPECT_EQ(space.json(), expected);
  EXPECT_EQ(Space().json(), R"({"points":[]})");
}

} // namespace
} // namespace sartor
