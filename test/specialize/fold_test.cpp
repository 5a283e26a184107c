// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstddef>
#include <memory>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fold_shapes.h"
#include "folding.h"

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Rule> some_rules(unsigned count, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<Rule> rules;
  for (unsigned i = 0; i < count; ++i) {
    const std::uint32_t mask = random() % 4 ? 0xffU : 0x0fU;
    rules.push_back({static_cast<std::uint32_t>(random()) & mask, mask, random()});
  }
  return rules;
}

/// Declares all of a configuration invariant, except its counter.
std::uint64_t invariant(InvariantFixture &declared, const Config &config) {
  return declared.add(&config, offsetof(Config, counter));
}

std::uint64_t invariant(InvariantFixture &declared, const std::vector<Rule> &rules) {
  return declared.add(rules.data(), rules.size() * sizeof(Rule));
}

class FoldTest : public testing::Test {
protected:
  void give_rules(unsigned count, unsigned seed = 1) {
    rules_ = some_rules(count, seed);
    config_->rules = rules_.data();
    config_->count = count;
    config_->table = rules_;
  }

  void declare_all() {
    invariant(invariant_, *config_);
    if (!rules_.empty())
      invariant(invariant_, rules_);
    if (!config_->table.empty())
      invariant(invariant_, config_->table);
  }

  Shape shape(const std::string &handler) {
    return folding().shape(folding().context(handler, config_.get(), invariant_));
  }

  void expect_same(const std::string &name, Handler3 *native) {
    auto *folded = folding().variant<Handler3>(name, config_.get(), invariant_);
    ASSERT_TRUE(folded);
    for (std::uint64_t a = 0; a < 300; ++a)
      for (std::uint64_t b = 0; b < 5; ++b)
        ASSERT_EQ(folded(config_.get(), a, b), native(config_.get(), a, b))
            << name << " on " << a << ", " << b;
  }

  static Folding &folding() {
    static Folding one;
    return one;
  }

  std::unique_ptr<Config> config_ = std::make_unique<Config>();
  std::vector<Rule> rules_;
  InvariantFixture invariant_;
};

TEST_F(FoldTest, FoldsABranchOnAFieldAway) {
  config_->mode = 2;
  declare_all();
  expect_same("fold_mode", fold_mode);
  EXPECT_EQ(shape("fold_mode").blocks, 1U);
}

TEST_F(FoldTest, FoldsWhatTheProgramTakesForVolatile) {
  config_->mode = 2;
  declare_all();
  expect_same("fold_volatile_mode", fold_volatile_mode);
  const Shape shape = this->shape("fold_volatile_mode");
  EXPECT_EQ(shape.blocks, 1U) << shape.text;
  EXPECT_EQ(shape.loads, 0U) << shape.text;
}

TEST_F(FoldTest, FoldsWhatIsLoadedAtomicallyUnlessItOrdersOtherMemory) {
  config_->mode = 2;
  declare_all();
  expect_same("fold_relaxed_mode", fold_relaxed_mode);
  EXPECT_EQ(shape("fold_relaxed_mode").loads, 0U) << shape("fold_relaxed_mode").text;
  expect_same("fold_acquired_mode", fold_acquired_mode);
  EXPECT_GT(shape("fold_acquired_mode").loads, 0U);
}

TEST_F(FoldTest, LeavesMemoryAloneThatIsNotDeclared) {
  config_->mode = 2;
  invariant_.add(config_->count);
  expect_same("fold_mode", fold_mode);
  EXPECT_GT(shape("fold_mode").blocks, 1U);
}

TEST_F(FoldTest, MakesALoopOverAnArrayOfRulesStraightCode) {
  give_rules(32);
  declare_all();
  expect_same("fold_array", fold_array);
  const Shape shape = this->shape("fold_array");
  EXPECT_EQ(shape.loops, 0U) << shape.text;
  EXPECT_EQ(shape.loads, 0U) << shape.text;
}

TEST_F(FoldTest, MakesALoopOverAListStraightCode) {
  rules_ = some_rules(20);
  std::vector<ListRule> list(rules_.size());
  for (std::size_t i = 0; i < list.size(); ++i)
    list[i] = {i + 1 < list.size() ? &list[i + 1] : nullptr, rules_[i]};
  config_->list = list.data();
  declare_all();
  for (const ListRule &rule : list)
    invariant_.add(rule);
  expect_same("fold_list", fold_list);
  const Shape shape = this->shape("fold_list");
  EXPECT_EQ(shape.loops, 0U) << shape.text;
  EXPECT_EQ(shape.loads, 0U) << shape.text;
}

TEST_F(FoldTest, GoesOnGenericallyWhereAListIsNoLongerDeclared) {
  rules_ = some_rules(20);
  std::vector<ListRule> list(rules_.size());
  for (std::size_t i = 0; i < list.size(); ++i)
    list[i] = {i + 1 < list.size() ? &list[i + 1] : nullptr, rules_[i]};
  config_->list = list.data();
  declare_all();
  invariant_.add(list.data(), 5 * sizeof(ListRule));
  expect_same("fold_list", fold_list);
  const Shape shape = this->shape("fold_list");
  EXPECT_EQ(shape.loops, 1U) << shape.text;
  EXPECT_GT(shape.blocks, 10U) << shape.text;
}

TEST_F(FoldTest, FollowsNestedLoops) {
  std::vector<std::vector<Rule>> rules;
  std::vector<Group> groups;
  for (unsigned g = 0; g < 4; ++g) {
    rules.push_back(some_rules(3 + g, g));
    groups.push_back({g, 3 + g, rules.back().data()});
  }
  std::vector<Group *> pointers;
  for (Group &group : groups)
    pointers.push_back(&group);
  config_->groups = pointers.data();
  config_->group_count = 4;
  declare_all();
  invariant_.add(static_cast<const void *>(pointers.data()), pointers.size() * sizeof(Group *));
  invariant_.add(groups.data(), groups.size() * sizeof(Group));
  for (const auto &list : rules)
    invariant(invariant_, list);
  expect_same("fold_groups", fold_groups);
  const Shape shape = this->shape("fold_groups");
  EXPECT_EQ(shape.loops, 0U) << shape.text;
  EXPECT_EQ(shape.loads, 0U) << shape.text;
}

TEST_F(FoldTest, FollowsALoopAnewForEachIterationOfAnother) {
  give_rules(8);
  declare_all();
  expect_same("fold_packets", fold_packets);
  const Shape shape = this->shape("fold_packets");
  EXPECT_GE(shape.loops, 1U) << shape.text;
  EXPECT_LE(shape.loops, 2U) << shape.text; // the unrolled loop has a remainder
  EXPECT_EQ(shape.loads, 0U) << shape.text;
}

TEST_F(FoldTest, FollowsALoopWithAGuardInIt) {
  give_rules(8);
  for (Rule &rule : rules_)
    rule.value += 7'000'000'000;
  declare_all();
  const Shape shape = folding().shape(
      folding().context("fold_guarded_array", config_.get(), invariant_, {{"digit", 0}}));
  for (const Rule &rule : rules_)
    EXPECT_THAT(shape.text, HasSubstr(std::to_string(rule.value)));
}

TEST_F(FoldTest, CallsFunctionsByNameThatInvariantMemoryPointsTo) {
  Hook hooks[] = {{fold_twice, 0}, {fold_plus_one, 0}, {fold_twice, 0}};
  Hook *pointers[] = {&hooks[0], &hooks[1], &hooks[2]};
  config_->hooks = pointers;
  config_->hook_count = 3;
  declare_all();
  invariant_.add(pointers);
  for (const Hook &hook : hooks)
    invariant_.add(hook.step);
  auto *folded = folding().variant<Handler3>("fold_hooks", config_.get(), invariant_);
  EXPECT_EQ(folded(config_.get(), 5, 0), 22U);
  EXPECT_EQ(hooks[0].seen, 10U);
  EXPECT_EQ(hooks[2].seen, 22U);
  const Shape shape = this->shape("fold_hooks");
  EXPECT_EQ(shape.loops, 0U) << shape.text;
  // The bodies are in a file of the handler module, so they are inlined.
  EXPECT_EQ(shape.calls, 0U) << shape.text;
}

TEST_F(FoldTest, IteratesOverAVector) {
  give_rules(10);
  declare_all();
  expect_same("fold_vector", fold_vector);
  const Shape shape = this->shape("fold_vector");
  EXPECT_EQ(shape.loops, 0U) << shape.text;
  EXPECT_EQ(shape.loads, 0U) << shape.text;
}

TEST_F(FoldTest, KeepsACountThatDecidesHowOftenTheLoopRuns) {
  give_rules(6);
  declare_all();
  expect_same("fold_count_down", fold_count_down);
  const Shape shape = this->shape("fold_count_down");
  EXPECT_EQ(shape.loops, 0U) << shape.text;
}

TEST_F(FoldTest, MatchesAgainstAnInvariantPattern) {
  static const char pattern[] = "GET /?/ab*";
  config_->pattern = pattern;
  declare_all();
  invariant_.add(pattern);
  auto *folded = folding().variant<Handler3>("fold_pattern", config_.get(), invariant_);
  for (const char *text : {"", "GET", "GET /", "GET /x/ab", "GET /y/abc", "GET //ab", "POST"}) {
    const auto address = reinterpret_cast<std::uintptr_t>(text);
    EXPECT_EQ(folded(config_.get(), address, 0), fold_pattern(config_.get(), address, 0)) << text;
  }
  EXPECT_EQ(shape("fold_pattern").loops, 0U);
}

TEST_F(FoldTest, UnfoldsRecursionOverATree) {
  Tree number{0, 7, nullptr, nullptr};
  Tree input{1, 0, nullptr, nullptr};
  Tree product{3, 0, &input, &number};
  Tree sum{2, 0, &product, &input};
  Tree root{3, 0, &sum, &product};
  config_->tree = &root;
  declare_all();
  for (const Tree *tree : {&number, &input, &product, &sum, &root})
    invariant_.add(*tree);
  expect_same("fold_tree", fold_tree);
  const Shape shape = this->shape("fold_tree");
  EXPECT_EQ(shape.blocks, 1U) << shape.text;
  EXPECT_EQ(shape.calls, 0U) << shape.text;
}

TEST_F(FoldTest, FoldsInFunctionsThatAreGivenInvariantPointers) {
  give_rules(5);
  config_->mode = 1;
  declare_all();
  expect_same("fold_helper", fold_helper);
  const Shape shape = this->shape("fold_helper");
  EXPECT_EQ(shape.loops, 0U) << shape.text;
  EXPECT_EQ(shape.calls, 0U) << shape.text;
}

TEST_F(FoldTest, FoldsVariablesOfTheProgram) {
  give_rules(5);
  static_config.rules = rules_.data();
  static_config.count = 5;
  invariant_.add(static_config.rules);
  invariant_.add(static_config.count);
  invariant(invariant_, rules_);
  auto *folded = folding().variant<Handler3>("fold_static", nullptr, invariant_);
  for (std::uint64_t a = 0; a < 256; ++a) {
    static_config.counter = 0;
    const std::uint64_t expected = fold_static(nullptr, a, 0);
    const std::uint64_t counted = static_config.counter;
    static_config.counter = 0;
    EXPECT_EQ(folded(nullptr, a, 0), expected);
    EXPECT_EQ(static_config.counter, counted);
  }
  EXPECT_EQ(shape("fold_static").loops, 0U);
}

TEST_F(FoldTest, ComputesMarkedFunctionsAheadOfTime) {
  give_rules(1000);
  declare_all();
  expect_same("fold_ahead", fold_ahead);
  const Shape shape = this->shape("fold_ahead");
  EXPECT_EQ(shape.blocks, 1U) << shape.text;
  EXPECT_EQ(shape.calls, 0U) << shape.text;
}

TEST_F(FoldTest, DoesNotCallMarkedFunctionsOnMemoryThatMayChange) {
  give_rules(10);
  invariant(invariant_, rules_);
  // One object lies right before the invariant one, and one right after it.
  std::array<Config, 3> configs;
  invariant(invariant_, configs[1]);
  for (Config *other : {&configs[0], &configs[2]}) {
    other->rules = rules_.data();
    other->count = 3;
    auto *folded = folding().variant<Handler3>("fold_ahead", other, invariant_);
    const std::uint64_t before = folded(other, 1, 0);
    other->count = 5;
    EXPECT_NE(folded(other, 1, 0), before);
  }
}

TEST_F(FoldTest, CallsMarkedFunctionsOnObjectsOfWhichAPartIsInvariant) {
  give_rules(10);
  invariant_.add_part(*config_, offsetof(Config, list));
  invariant(invariant_, rules_);
  expect_same("fold_ahead", fold_ahead);
  EXPECT_EQ(shape("fold_ahead").calls, 0U);
}

TEST_F(FoldTest, DoesNotCallMarkedFunctionsOnceAnInvariantIsRevoked) {
  give_rules(10);
  declare_all();
  auto context = folding().context("fold_ahead", config_.get(), invariant_);
  context.memory = invariant_.memory(/*holds=*/false);
  EXPECT_GT(folding().shape(context).blocks, 1U);
}

TEST_F(FoldTest, KeepsTheIdentityOfPointersIntoInvariantMemory) {
  give_rules(16);
  declare_all();
  auto *folded = folding().variant<decltype(fold_which)>("fold_which", config_.get(), invariant_);
  for (std::uint64_t a = 0; a < 256; ++a)
    EXPECT_EQ(folded(config_.get(), a, 0), fold_which(config_.get(), a, 0));
  EXPECT_EQ(shape("fold_which").loops, 0U);
}

TEST_F(FoldTest, WritesBesideInvariantMemory) {
  config_->mode = 3;
  declare_all();
  auto *folded = folding().variant<Handler3>("fold_mutable", config_.get(), invariant_);
  EXPECT_EQ(folded(config_.get(), 5, 0), 15U);
  EXPECT_EQ(folded(config_.get(), 5, 0), 30U);
  EXPECT_EQ(config_->counter, 30U);
}

TEST_F(FoldTest, GivesALoopUpThatWouldNotEnd) {
  give_rules(7);
  declare_all();
  expect_same("fold_unbounded", fold_unbounded);
  EXPECT_LT(shape("fold_unbounded").instructions, 500U);
}

TEST_F(FoldTest, GivesALoopUpThatWouldGrowTooLarge) {
  give_rules(20'000);
  declare_all();
  auto *folded = folding().variant<Handler3>("fold_array", config_.get(), invariant_);
  for (std::uint64_t a = 0; a < 300; ++a)
    EXPECT_EQ(folded(config_.get(), a, 0), fold_array(config_.get(), a, 0));
  EXPECT_LT(shape("fold_array").instructions, 500U);
}

TEST_F(FoldTest, NamesTheInvariantsThatItDependsOnAndNoOthers) {
  config_->mode = 1;
  config_->count = 1;
  const std::uint64_t mode = invariant_.add(config_->mode);
  const std::uint64_t count = invariant_.add(config_->count);
  folding().variant<Handler3>("fold_mode", config_.get(), invariant_);
  EXPECT_THAT(folding().invariants(), ElementsAre(mode));
  folding().variant<Handler3>("fold_array", config_.get(), invariant_);
  EXPECT_THAT(folding().invariants(), ElementsAre(count));
}

// The variables that the function reads, for example, are not known.
TEST_F(FoldTest, ReliesOnAllThatAMarkedFunctionMayRead) {
  give_rules(10);
  const std::uint64_t whole = invariant(invariant_, *config_);
  const std::uint64_t rules = invariant(invariant_, rules_);
  const std::uint64_t variable = invariant_.add(static_config.mode);
  folding().variant<Handler3>("fold_ahead", config_.get(), invariant_);
  EXPECT_THAT(folding().invariants(), ElementsAre(whole, rules, variable));
}

TEST_F(FoldTest, NeedsNoMemoryOnceItIsRead) {
  give_rules(10);
  declare_all();
  auto *folded = folding().variant<Handler3>("fold_array", config_.get(), invariant_);
  const std::uint64_t expected = fold_array(config_.get(), 3, 0);
  config_.reset();
  rules_.clear();
  EXPECT_EQ(folded(nullptr, 3, 0), expected);
}

} // namespace
