// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/pass/pass_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sartor::loader {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using List = const char *const[];
using Names = std::vector<std::string>;

/// The relations that a pass declares to other passes.
struct Says {
  const char *name;
  const char *const *needs = nullptr;
  const char *const *conflicts = nullptr;
  const char *const *after = nullptr;
  const char *const *before = nullptr;
};

std::vector<sartor_pass> passes_of(const std::vector<Says> &all) {
  std::vector<sartor_pass> passes;
  for (const Says &says : all)
    passes.push_back({SARTOR_PASS_ABI, says.name, says.needs, says.conflicts, says.after,
                      says.before, nullptr, 0});
  return passes;
}

std::vector<const sartor_pass *> pointers_to(const std::vector<sartor_pass> &passes) {
  std::vector<const sartor_pass *> pointers;
  for (const sartor_pass &pass : passes)
    pointers.push_back(&pass);
  return pointers;
}

Names order_of(const std::vector<Says> &all) {
  const auto passes = passes_of(all);
  const auto order = ordered(pointers_to(passes));
  EXPECT_TRUE(order) << order.error().text();
  Names names;
  if (order)
    for (const sartor_pass *pass : *order)
      names.emplace_back(pass->name);
  return names;
}

Failure failure_of(const std::vector<Says> &all) {
  const auto passes = passes_of(all);
  auto order = ordered(pointers_to(passes));
  EXPECT_FALSE(order);
  return order ? Failure{} : std::move(order.error());
}

constexpr List a = {"a", nullptr}, b = {"b", nullptr}, c = {"c", nullptr};
constexpr List a_and_b = {"a", "b", nullptr};
constexpr List none = {nullptr};

TEST(PassOrder, IsAsGivenWherePassesDoNotMind) {
  EXPECT_THAT(order_of({}), IsEmpty());
  EXPECT_THAT(order_of({{.name = "c"}, {.name = "a", .needs = none}, {.name = "b"}}),
              ElementsAre("c", "a", "b"));
}

TEST(PassOrder, WhatIsNeededRunsBefore) {
  EXPECT_THAT(order_of({{.name = "x", .needs = a_and_b},
                        {.name = "b", .needs = c},
                        {.name = "y"},
                        {.name = "a"},
                        {.name = "c"}}),
              ElementsAre("y", "a", "c", "b", "x"));
}

TEST(PassOrder, HeedsAfterAndBeforeOfWhatIsEnabled) {
  EXPECT_THAT(
      order_of({{.name = "x", .after = a_and_b}, {.name = "y"}, {.name = "a"}, {.name = "z"}}),
      ElementsAre("y", "a", "x", "z"));
  EXPECT_THAT(
      order_of({{.name = "y"}, {.name = "b"}, {.name = "a"}, {.name = "x", .before = a_and_b}}),
      ElementsAre("y", "x", "b", "a"));
}

TEST(PassOrder, MovesNoMoreThanItMust) {
  EXPECT_THAT(
      order_of(
          {{.name = "p"}, {.name = "q", .after = c}, {.name = "r"}, {.name = "c"}, {.name = "s"}}),
      ElementsAre("p", "r", "c", "q", "s"));
}

TEST(PassOrder, ACircleIsSpeltOut) {
  const Failure failure = failure_of({{.name = "start", .after = c},
                                      {.name = "a", .needs = c},
                                      {.name = "b", .after = a},
                                      {.name = "c", .after = b}});
  EXPECT_EQ(failure.code, ErrorCode::bad_pass);
  EXPECT_EQ(failure.subject, "a");
  EXPECT_THAT(failure.message, HasSubstr(": a -> b -> c -> a"));
  EXPECT_FALSE(failure.remedy.empty());
  EXPECT_THAT(failure_of({{.name = "b", .before = a}, {.name = "a", .before = b}}).message,
              HasSubstr(": b -> a -> b"));
  EXPECT_THAT(failure_of({{.name = "a", .needs = a}}).message, HasSubstr(": a -> a"));
}

TEST(PassOrder, ANeedThatIsNotEnabledIsAnError) {
  const Failure failure = failure_of({{.name = "b"}, {.name = "x", .needs = a}});
  EXPECT_EQ(failure.code, ErrorCode::bad_pass);
  EXPECT_EQ(failure.subject, "x");
  EXPECT_THAT(failure.message, HasSubstr("needs the pass a, which is not enabled"));
  EXPECT_THAT(failure.remedy, HasSubstr("enable a"));
}

TEST(PassOrder, AConflictIsAnError) {
  EXPECT_THAT(order_of({{.name = "x", .conflicts = a}, {.name = "b"}}), ElementsAre("x", "b"));
  const Failure failure = failure_of({{.name = "a"}, {.name = "x", .conflicts = a}});
  EXPECT_EQ(failure.code, ErrorCode::bad_pass);
  EXPECT_EQ(failure.subject, "x");
  EXPECT_THAT(failure.message, HasSubstr("in conflict with the pass a"));
  EXPECT_THAT(failure.remedy, HasSubstr("leave x or a out"));
}

TEST(PassOrder, TwoOfOneNameAreAnError) {
  const Failure failure = failure_of({{.name = "a"}, {.name = "b"}, {.name = "a"}});
  EXPECT_EQ(failure.code, ErrorCode::bad_pass);
  EXPECT_EQ(failure.subject, "a");
  EXPECT_THAT(failure.message, HasSubstr("twice"));
}

} // namespace
} // namespace sartor::loader
