// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/candidates.h"

#include <cstdint>
#include <gmock/gmock.h>
#include <limits>

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

TEST(Candidates, AreTheProductOfAllValuesAndGeneric) {
  EXPECT_THAT(make_candidates(example(), {}).value(),
              UnorderedElementsAre(Configuration{}, Configuration{{"B", 2}},
                                   Configuration{{"B", 4}}, Configuration{{"hit", 1}},
                                   Configuration{{"B", 2}, {"hit", 1}},
                                   Configuration{{"B", 4}, {"hit", 1}}));
}

TEST(Candidates, GenericCodeComesFirst) {
  EXPECT_EQ(make_candidates(example(), {{"N", {1}}}).value().front(), Configuration());
}

TEST(Candidates, OfAnEmptySpaceAreTheGenericCode) {
  EXPECT_THAT(make_candidates(Space(), {}).value(), ElementsAre(Configuration()));
}

TEST(Candidates, ChoicesStandForAPointsOwnValues) {
  const Space space({{.label = "B", .kind = PointKind::enumeration, .choices = {2, 4, 8}}});
  EXPECT_THAT(make_candidates(space, {{"B", {8, 8}}}).value(),
              ElementsAre(Configuration(), Configuration{{"B", 8}}));
}

TEST(Candidates, NoChoicesLeaveAPointAlone) {
  EXPECT_THAT(make_candidates(example(), {{"B", {}}, {"hit", {}}}).value(),
              ElementsAre(Configuration()));
}

TEST(Candidates, ChoicesTakeTheTypeOfTheirPoint) {
  const Space space({{.label = "x", .type = {PointType::Class::floating, 64, true}}});
  EXPECT_THAT(make_candidates(space, {{"x", {2}}}).value(),
              ElementsAre(Configuration(), Configuration{{"x", 2.0}}));
}

TEST(Candidates, PointsThatCannotBeSpecializedAreLeftOut) {
  const Space space({{.label = "B",
                      .kind = PointKind::enumeration,
                      .choices = {2, 4},
                      .sites = {{.function = "f", .file = "", .problem = "in a coroutine"}}}});
  EXPECT_EQ(make_candidates(space, {}).value().size(), 1U);
}

TEST(Candidates, UnknownLabelInChoicesIsAnError) {
  for (const auto &values : {std::vector<Value>{1}, std::vector<Value>{}}) {
    const auto failed = make_candidates(example(), {{"M", values}});
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, ErrorCode::unknown_label);
    EXPECT_EQ(failed.error().subject, "M");
  }
}

TEST(Candidates, WrongValueInChoicesIsAnError) {
  EXPECT_EQ(make_candidates(example(), {{"B", {3}}}).error().code,
            ErrorCode::value_outside_choices);
  EXPECT_EQ(make_candidates(example(), {{"N", {"x"}}}).error().code, ErrorCode::bad_value_type);
}

TEST(Candidates, TooManyAreAnErrorThatSaysWhatToDo) {
  std::vector<Value> hundred;
  for (int i = 0; i < 100; ++i)
    hundred.emplace_back(i);
  const Space space({{.label = "a"}, {.label = "b"}});
  const auto failed = make_candidates(space, {{"a", hundred}, {"b", hundred}});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::bad_objective);
  EXPECT_EQ(failed.error().subject, "b");
  EXPECT_THAT(failed.error().remedy, HasSubstr("choices"));
}

TEST(Candidates, RangeOfAllIntegersIsRefusedWithoutListingIt) {
  const Space space({{.label = "a",
                      .kind = PointKind::range,
                      .choices = {0, std::numeric_limits<std::uint64_t>::max()}}});
  EXPECT_EQ(make_candidates(space, {}).error().code, ErrorCode::bad_objective);
  EXPECT_EQ(make_candidates(space, {{"a", {5}}}).value().size(), 2U);
}

} // namespace
TEST(Candidates, LabelsThatOnlyTuneAreSetWithoutAGuard) {
  for (const Configuration &candidate : make_candidates(example(), {}, {"B"}).value())
    for (const auto &[label, setting] : candidate)
      EXPECT_EQ(setting.guarded, label != "B") << candidate.text();
}

TEST(Candidates, AnUnknownLabelToLeaveUnguardedIsAnError) {
  EXPECT_EQ(make_candidates(example(), {}, {"none"}).error().code, ErrorCode::unknown_label);
}

} // namespace sartor
