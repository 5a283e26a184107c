// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/search/families.h"

#include <gmock/gmock.h>

#include "landscapes.h"

namespace sartor {
namespace {

using testing::ElementsAre;

TEST(Families, LabelsThatDifferInDigitsOnlyInTheOrderOfTheirNumbers) {
  const SearchSpace space({{.label = "T10", .settings = {1, 2}},
                           {.label = "T2", .settings = {1, 2}},
                           {.label = "T9", .settings = {1, 2}},
                           {.label = "U2", .settings = {1, 2}}});
  EXPECT_THAT(families_of(space), ElementsAre(ElementsAre(1, 2, 0), ElementsAre(3)));
}

TEST(Families, HaveTheSameSettings) {
  const SearchSpace space({{.label = "T1", .settings = {1, 2}},
                           {.label = "T2", .settings = {1, 3}},
                           {.label = "T3", .settings = {1, 2}, .is_ordered = false}});
  EXPECT_EQ(families_of(space).size(), 3U);
}

TEST(NearestAllowed, IsThePlaceItselfWhereAllowed) {
  const SearchSpace space = hill(1, 2, 4).space;
  EXPECT_EQ(nearest_allowed(space, {3, 4}), (SearchSpace::Place{3, 4}));
}

TEST(NearestAllowed, OthersGiveWayToWhatIsSetFirst) {
  Constraints constraints;
  constraints.relations = {"a * b <= 16"};
  const SearchSpace space({{.label = "a", .settings = powers_of_two(0, 5)},
                           {.label = "b", .settings = powers_of_two(0, 5)}},
                          constraints);
  EXPECT_EQ(nearest_allowed(space, {5, 3}), (SearchSpace::Place{5, 1}));
  const std::size_t first[] = {1};
  EXPECT_EQ(nearest_allowed(space, {5, 3}, first), (SearchSpace::Place{3, 3}));
}

TEST(NearestAllowed, SetsWhatDependsOnALaterDimension) {
  Constraints constraints;
  constraints.conditions["a"] = {.label = "b", .values = {2}};
  const SearchSpace space({{.label = "a", .settings = {1, 2}}, {.label = "b", .settings = {1, 2}}},
                          constraints);
  EXPECT_EQ(nearest_allowed(space, {2, 2}), (SearchSpace::Place{2, 2}));
  EXPECT_EQ(nearest_allowed(space, {2, 1}), (SearchSpace::Place{0, 1}));
}

} // namespace
} // namespace sartor
