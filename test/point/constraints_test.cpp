// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/constraints.hpp>

#include <functional>
#include <gmock/gmock.h>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <sartor/space.hpp>

namespace sartor {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Class = PointType::Class;

Space example() {
  return Space({
      {.label = "Ti"},
      {.label = "Tj"},
      {.label = "tile.k"},
      {.label = "scale", .type = {Class::floating, 64, true}},
      {.label = "table", .type = {Class::pointer, 64, false}},
      {.label = "mode", .kind = PointKind::enumeration, .choices = {1, 2, 3}},
      {.label = "depth"},
  });
}

Space constrained(Constraints constraints) {
  Space space = example();
  space.constrain(std::move(constraints));
  return space;
}

Space related(const std::string &relation) { return constrained({.relations = {relation}}); }

bool allowed(const Space &space, const Configuration &configuration) {
  const auto failure = space.check(configuration);
  EXPECT_TRUE(!failure || failure->code == ErrorCode::forbidden_configuration) << failure->text();
  return !failure;
}

/// The failure that constrain() throws.
Failure refused(const Constraints &constraints) {
  Space space = example();
  try {
    space.constrain(constraints);
  } catch (const Error &error) {
    return error.failure();
  }
  ADD_FAILURE() << "was taken";
  return {};
}

Failure refused(const std::string &relation) { return refused({.relations = {relation}}); }

TEST(Constraints, RelationHoldsOrForbids) {
  const Space space = related("Ti * Tj <= 4096");
  EXPECT_TRUE(allowed(space, {{"Ti", 64}, {"Tj", 64}}));
  EXPECT_FALSE(allowed(space, {{"Ti", 64}, {"Tj", 65}}));
}

TEST(Constraints, BrokenRelationIsNamedWithTheValuesAndWhatToDo) {
  const auto failure = related("Ti * Tj <= 4096").check({{"Ti", 128}, {"Tj", 64}, {"mode", 1}});
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, ErrorCode::forbidden_configuration);
  EXPECT_EQ(failure->subject, "Ti * Tj <= 4096");
  EXPECT_THAT(failure->message, HasSubstr("{Ti=128,Tj=64}"));
  EXPECT_THAT(failure->remedy, HasSubstr("leave Ti or Tj generic"));
}

TEST(Constraints, RelationHoldsWhereOneOfItsPointsIsGeneric) {
  const Space space = related("Ti < Tj");
  EXPECT_TRUE(allowed(space, {}));
  EXPECT_TRUE(allowed(space, {{"Ti", 64}}));
  EXPECT_TRUE(allowed(space, {{"Tj", 0}}));
}

TEST(Constraints, RelationMustHoldForAllOfSeveralValues) {
  const Space space = related("Ti < Tj");
  EXPECT_TRUE(allowed(space, {{"Ti", any_of({1, 2})}, {"Tj", any_of({3, 4})}}));
  EXPECT_FALSE(allowed(space, {{"Ti", any_of({1, 3})}, {"Tj", any_of({3, 4})}}));
  EXPECT_THAT(space.check({{"Ti", any_of({1, 3})}, {"Tj", any_of({3, 4})}})->message,
              HasSubstr("{Ti=3,Tj=3}"));
}

TEST(Constraints, TooManyValuesToLookAtAreRefused) {
  std::vector<Value> many;
  for (int i = 0; i < 300; ++i)
    many.emplace_back(i);
  EXPECT_EQ(related("Ti != Tj + 1000").check({{"Ti", any_of(many)}, {"Tj", any_of(many)}})->code,
            ErrorCode::too_many_bodies);
}

TEST(Constraints, RelationMayUseFunctionsPowersAndTheRemainder) {
  const Space space = related("Ti % Tj == 0 && max(Ti, 3) < 2^5 || scale > 0.5");
  EXPECT_TRUE(allowed(space, {{"Ti", 16}, {"Tj", 8}, {"scale", 0}}));
  EXPECT_FALSE(allowed(space, {{"Ti", 17}, {"Tj", 8}, {"scale", 0}}));
  EXPECT_TRUE(allowed(space, {{"Ti", 17}, {"Tj", 8}, {"scale", 1}}));
}

TEST(Constraints, ResultThatIsNoNumberDoesNotHold) {
  EXPECT_FALSE(allowed(related("sqrt(Ti - 2)"), {{"Ti", 1}}));
  EXPECT_TRUE(allowed(related("sqrt(Ti - 2)"), {{"Ti", 3}}));
}

TEST(Constraints, LabelThatIsNoIdentifierStandsBetweenBackquotes) {
  const Space space = related("Ti + `tile.k` < 10 && `tile.k` > 1");
  EXPECT_TRUE(allowed(space, {{"Ti", 3}, {"tile.k", 2}}));
  EXPECT_FALSE(allowed(space, {{"Ti", 3}, {"tile.k", 7}}));
  EXPECT_FALSE(allowed(space, {{"Ti", 3}, {"tile.k", 1}}));
  EXPECT_EQ(space.check({{"Ti", 3}, {"tile.k", 1}})->subject, "Ti + `tile.k` < 10 && `tile.k` > 1");
}

TEST(Constraints, LabelWinsOverAConstantOfItsName) {
  Space space({{.label = "_pi"}});
  space.constrain({.relations = {"_pi < 3"}});
  EXPECT_TRUE(allowed(space, {{"_pi", 2}}));
  EXPECT_FALSE(allowed(space, {{"_pi", 3}}));
}

TEST(Constraints, RelationThatCannotBeReadIsNamedWithThePosition) {
  const Failure failure = refused("Ti * (Tj <= 4096");
  EXPECT_EQ(failure.code, ErrorCode::bad_constraint);
  EXPECT_EQ(failure.subject, "Ti * (Tj <= 4096");
  EXPECT_THAT(failure.message, HasSubstr("at position "));
  EXPECT_THAT(refused("Ti < < Tj").message, HasSubstr("at position 6"));
  EXPECT_THAT(refused("`tile.k` < < Tj").message, HasSubstr("at position 12"));
}

TEST(Constraints, UnknownLabelInARelationIsNamedWithThePositionAndTheNearest) {
  const Failure failure = refused("Ti2 < 3 && Ti * Tk <= 4096");
  EXPECT_EQ(failure.code, ErrorCode::bad_constraint);
  EXPECT_THAT(failure.message, HasSubstr("at position 1: no point has the label \"Ti2\""));
  EXPECT_THAT(failure.remedy, HasSubstr("\"Ti\""));
  EXPECT_THAT(refused("Ti * Tk <= 4096").message, HasSubstr("at position 6"));
  EXPECT_THAT(refused("Ti * `tile.j` <= 4096").message, HasSubstr("\"tile.j\""));
}

TEST(Constraints, WhatIsNoRelationIsRefused) {
  EXPECT_THAT(refused("1 < 2").message, HasSubstr("names no point"));
  EXPECT_THAT(refused("Ti = 4").remedy, HasSubstr("=="));
  EXPECT_THAT(refused("Ti, Tj").message, HasSubstr("list"));
  EXPECT_THAT(refused("Ti < `tile.k").message, HasSubstr("at position 6"));
  EXPECT_TRUE(allowed(related("Ti + `Ti` > 3"), {{"Ti", 2}}));
  EXPECT_THAT(refused("table == 1").message, HasSubstr("not set to numbers"));
  for (const char *nonsense : {"", "Ti <", "\"Ti\" < 3", ")", "Ti ? 1", "Ti <= 4096)", "Ti Tj"})
    EXPECT_EQ(refused(nonsense).code, ErrorCode::bad_constraint) << nonsense;
}

TEST(Constraints, ConditionalPointIsSetOnlyWhereItsConditionHolds) {
  const Space space = constrained({.conditions = {{"depth", {"mode", {2, 3}}}}});
  EXPECT_TRUE(allowed(space, {}));
  EXPECT_TRUE(allowed(space, {{"mode", 1}}));
  EXPECT_TRUE(allowed(space, {{"mode", 2}, {"depth", 7}}));
  EXPECT_TRUE(allowed(space, {{"mode", any_of({2, 3})}, {"depth", 7}}));
  EXPECT_FALSE(allowed(space, {{"mode", any_of({1, 2})}, {"depth", 7}}));
  EXPECT_FALSE(allowed(space, {{"depth", 7}}));
}

TEST(Constraints, BrokenConditionIsNamedWithWhatToDo) {
  const Space space = constrained({.conditions = {{"depth", {"mode", {2, 3}}}}});
  const auto generic = space.check({{"depth", 7}});
  ASSERT_TRUE(generic);
  EXPECT_EQ(generic->subject, "depth");
  EXPECT_THAT(generic->message,
              AllOf(HasSubstr("\"mode\" is set to 2 or 3"), HasSubstr("left generic")));
  EXPECT_THAT(generic->remedy, HasSubstr("set \"mode\" to 2 or 3"));
  EXPECT_THAT(space.check({{"mode", 1}, {"depth", 7}})->message, HasSubstr("is set to 1"));
}

TEST(Constraints, ForbiddenCombinationIsForbiddenWithAnythingElse) {
  const Space space = constrained({.forbidden = {{{"Ti", any_of({8, 16})}, {"mode", 2}}}});
  EXPECT_TRUE(allowed(space, {{"Ti", 8}}));
  EXPECT_TRUE(allowed(space, {{"Ti", 8}, {"mode", 3}}));
  EXPECT_FALSE(allowed(space, {{"Ti", 16}, {"mode", 2}}));
  EXPECT_FALSE(allowed(space, {{"Ti", unguarded(16)}, {"mode", any_of({1, 2})}, {"Tj", 3}}));
  EXPECT_THAT(space.check({{"Ti", 16}, {"mode", 2}})->subject, HasSubstr("{Ti=8|16,mode=2}"));
}

TEST(Constraints, ValuesTakeTheTypeOfTheirPoint) {
  const Space space = constrained(
      {.conditions = {{"depth", {"scale", {2}}}}, .forbidden = {{{"scale", 4}, {"Ti", 1}}}});
  EXPECT_TRUE(allowed(space, {{"scale", 2}, {"depth", 1}}));
  EXPECT_FALSE(allowed(space, {{"scale", 4.0}, {"Ti", 1}}));
}

TEST(Constraints, ValuesThatDoNotFitTheirPointsAreRefused) {
  EXPECT_EQ(refused(Constraints{.forbidden = {{{"mode", 4}}}}).code,
            ErrorCode::value_outside_choices);
  EXPECT_EQ(refused(Constraints{.conditions = {{"depth", {"mode", {"x"}}}}}).code,
            ErrorCode::bad_value_type);
}

TEST(Constraints, UnknownLabelsAreRefusedWithTheNearest) {
  for (const Constraints &constraints : {Constraints{.conditions = {{"depht", {"mode", {1}}}}},
                                         Constraints{.conditions = {{"mode", {"depht", {1}}}}},
                                         Constraints{.forbidden = {{{"mode", 1}, {"depht", 1}}}}}) {
    const Failure failure = refused(constraints);
    EXPECT_EQ(failure.code, ErrorCode::unknown_label);
    EXPECT_EQ(failure.subject, "depht");
    EXPECT_THAT(failure.remedy, HasSubstr("\"depth\""));
  }
}

TEST(Constraints, WhatWouldForbidEverythingIsRefused) {
  EXPECT_EQ(refused(Constraints{.forbidden = {{}}}).code, ErrorCode::bad_constraint);
  EXPECT_EQ(refused(Constraints{.conditions = {{"depth", {"mode", {}}}}}).code,
            ErrorCode::bad_constraint);
}

TEST(Constraints, RefusedOnesLeaveTheOldOnes) {
  Space space = related("Ti < 4");
  EXPECT_THROW(space.constrain({.relations = {"Ti <"}}), Error);
  EXPECT_FALSE(allowed(space, {{"Ti", 4}}));
  space.constrain({});
  EXPECT_TRUE(allowed(space, {{"Ti", 4}}));
}

TEST(Constraints, AreReadBackFromTheirText) {
  const Constraints constraints{.relations = {"Ti * Tj <= 4096", "Ti < Tj"},
                                .conditions = {{"depth", {"mode", {2, 3}}}, {"Ti", {"mode", {1}}}},
                                .forbidden = {{{"Ti", any_of({1, 2})}, {"table", "a"}}}};
  EXPECT_EQ(Constraints::from_json(constraints.json()), constraints);
  EXPECT_EQ(Constraints::from_json(Constraints().json()), Constraints());
  EXPECT_EQ(Constraints::from_json("{}"), Constraints());
}

TEST(Constraints, TextThatIsNoneIsRefused) {
  for (const char *text :
       {"", "[]", R"({"relation":[]})", R"({"relations":"x"})", R"({"relations":[1]})",
        R"({"conditions":[]})", R"({"conditions":{"a":1}})", R"({"conditions":{"a":{}}})",
        R"({"conditions":{"a":{"b":[]}}})", R"({"conditions":{"a":{"b":1,"c":1}}})",
        R"({"forbidden":{}})", R"({"forbidden":[1]})", R"({"forbidden":[{"a":[]}]})"}) {
    try {
      std::ignore = Constraints::from_json(text);
      ADD_FAILURE() << text;
    } catch (const Error &error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_json) << text;
    }
  }
}

TEST(Constraints, AreShownByTheSpace) {
  EXPECT_THAT(
      related("Ti < Tj").json(),
      HasSubstr(R"("constraints":{"relations":["Ti < Tj"],"conditions":{},"forbidden":[]})"));
}

TEST(Constraints, CopiesOfASpaceCanBeAskedByManyThreads) {
  const Space space = related("Ti * Tj <= 4096");
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([space, thread] {
      for (int i = 1; i < 2000; ++i)
        ASSERT_EQ(allowed(space, {{"Ti", i}, {"Tj", thread}}), i * thread <= 4096);
    });
}

} // namespace
} // namespace sartor
