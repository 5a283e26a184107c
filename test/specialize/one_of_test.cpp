// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "folding.h"
#include "one_of_shapes.h"

namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

using Program = std::vector<Trial>;

/// Any operation may follow any other; the last one ends.
Program random_program(std::mt19937 &random, std::uint16_t size, unsigned kinds) {
  Program program;
  for (unsigned i = 0; i + 1U < size; ++i)
    program.push_back({static_cast<std::uint8_t>(1 + random() % kinds),
                       static_cast<std::uint8_t>(random()),
                       static_cast<std::uint16_t>(random() % size)});
  program.push_back({trial_end, 0, 0});
  return program;
}

// Tries two alternatives, each of which may fail, and then a third.
const Program kAlternatives = {{trial_try, 0, 4},     {trial_add, 3, 0}, {trial_back_if, 0, 0},
                               {trial_go, 0, 8},      {trial_try, 0, 7}, {trial_add, 9, 0},
                               {trial_back_if, 0, 0}, {trial_add, 1, 0}, {trial_end, 0, 0}};

class OneOfTest : public testing::Test {
protected:
  sartor::core::Context context(const std::string &name, const Program &program) {
    trials_ = {program.data(), static_cast<std::uint32_t>(program.size()), table_.data(), 2, 0};
    invariant_ = {};
    invariant_.add(&trials_, offsetof(Trials, calls));
    invariant_.add(program.data(), program.size() * sizeof(Trial));
    invariant_.add(table_);
    return folding().context(name, &trials_, invariant_);
  }

  void expect_same(const std::string &name, TrialHandler *native, const Program &program) {
    const auto wanted = context(name, program);
    for (const auto tier : {sartor::core::Tier::full, sartor::core::Tier::quick}) {
      auto *made = folding().made<TrialHandler>(wanted, tier);
      ASSERT_TRUE(made);
      for (const std::uint64_t input : {0U, 1U, 2U, 3U, 5U, 8U, 77U, 0xffffffffU})
        for (const std::uint64_t fuel : {0U, 1U, 2U, 3U, 9U, 40U, 500U})
          ASSERT_EQ(made(&trials_, input, fuel), native(&trials_, input, fuel))
              << name << " on " << input << ", " << fuel;
    }
  }

  Shape shape(const std::string &name, const Program &program) {
    return folding().shape(context(name, program));
  }
  std::vector<std::string> remarks(const std::string &name, const Program &program) {
    return folding().specialized(context(name, program)).remarks;
  }

  static Folding &folding() {
    static Folding one;
    return one;
  }

  Trials trials_{};
  std::array<std::uint8_t, 1024> table_{};
  InvariantFixture invariant_;
};

TEST_F(OneOfTest, GivesWhatTheProgramGives) {
  expect_same("one_of_index", one_of_index, kAlternatives);
  expect_same("one_of_pointer", one_of_pointer, kAlternatives);
  expect_same("one_of_nested", one_of_nested, kAlternatives);
  expect_same("one_of_entered", one_of_entered, kAlternatives);
  expect_same("one_of_leaving", one_of_leaving, kAlternatives);
  expect_same("one_of_memory", one_of_memory, kAlternatives);
}

TEST_F(OneOfTest, RunsRandomPrograms) {
  std::mt19937 random(1);
  for (unsigned i = 0; i < 6; ++i) {
    const Program program =
        random_program(random, static_cast<std::uint16_t>(4 + random() % 16), trial_go);
    expect_same("one_of_index", one_of_index, program);
    expect_same("one_of_pointer", one_of_pointer, program);
    expect_same("one_of_leaving", one_of_leaving, program);
    expect_same("one_of_entered", one_of_entered, program);
    expect_same("one_of_nested", one_of_nested, program);
    expect_same("one_of_memory", one_of_memory, program);
  }
}

TEST_F(OneOfTest, GoesOnWhereTheValueIsNoneThatIsKnown) {
  std::mt19937 random(2);
  for (unsigned i = 0; i < 6; ++i) {
    const Program program = random_program(random, 12, trial_save_input);
    expect_same("one_of_index", one_of_index, program);
    expect_same("one_of_pointer", one_of_pointer, program);
    expect_same("one_of_leaving", one_of_leaving, program);
  }
}

TEST_F(OneOfTest, LeadsBackIntoTheCopies) {
  for (const char *name : {"one_of_leaving", "one_of_memory"})
    EXPECT_THAT(remarks(name, kAlternatives), Each(Not(HasSubstr("sartor_one_of")))) << name;
  // The remaining loads read saved positions; none reads the program.
  const Shape leaving = shape("one_of_leaving", kAlternatives);
  EXPECT_THAT(leaving.text, Not(HasSubstr("struct.Trial"))) << leaving.text;
}

TEST_F(OneOfTest, LeavesTheGenericLoopWhereNobodyLeaves) {
  const Shape index = shape("one_of_index", kAlternatives);
  const Shape leaving = shape("one_of_leaving", kAlternatives);
  EXPECT_GT(index.loads, leaving.loads);
  EXPECT_GT(index.instructions, leaving.instructions);
}

TEST_F(OneOfTest, FollowsAnAutomaton) {
  std::mt19937 random(3);
  std::ranges::generate(table_, [&] { return static_cast<std::uint8_t>(random() % 4); });
  expect_same("one_of_states", one_of_states, kAlternatives);
  // The rows of the states remain; the meaning of a state is not looked up.
  const Shape shape = this->shape("one_of_states", kAlternatives);
  EXPECT_THAT(shape.text, Not(HasSubstr("struct.Trial"))) << shape.text;
}

TEST_F(OneOfTest, ReportsAMarkThatChangesNothing) {
  expect_same("one_of_nothing", one_of_nothing, kAlternatives);
  EXPECT_THAT(remarks("one_of_nothing", kAlternatives),
              Contains(HasSubstr("sartor_one_of(input + i)")));
}

TEST_F(OneOfTest, TakesConditions) { expect_same("one_of_bool", one_of_bool, kAlternatives); }

TEST_F(OneOfTest, IsWithoutInvariantsTheValueItself) {
  context("one_of_leaving", kAlternatives);
  auto *made = folding().variant<TrialHandler>("one_of_leaving", &trials_, {});
  ASSERT_TRUE(made);
  for (std::uint64_t input = 0; input < 9; ++input)
    EXPECT_EQ(made(&trials_, input, 50), one_of_leaving(&trials_, input, 50));
}

TEST_F(OneOfTest, FollowsWhatThereIsRoomFor) {
  Program program;
  for (std::uint16_t i = 0; i < 3000; ++i)
    program.push_back(i % 5 == 0 ? Trial{trial_try, 0, static_cast<std::uint16_t>(i + 4)}
                                 : Trial{i % 5 == 3 ? trial_back_if : trial_add,
                                         static_cast<std::uint8_t>(i), 0});
  program.push_back({trial_end, 0, 0});
  expect_same("one_of_index", one_of_index, program);
  expect_same("one_of_leaving", one_of_leaving, program);
  EXPECT_THAT(remarks("one_of_leaving", program), Contains(HasSubstr("followed")));
}

TEST_F(OneOfTest, FollowsInPartHoweverFewOperationsThereAre) {
  Program program;
  for (std::uint16_t i = 0; i < 3000; ++i)
    program.push_back(
        i % 5 == 0 ? Trial{trial_try, 0, static_cast<std::uint16_t>(i + 4)}
                   : Trial{i % 5 == 3 ? trial_back : trial_add, static_cast<std::uint8_t>(i), 0});
  program.push_back({trial_end, 0, 0});
  for (const auto &[name, native] :
       {std::pair<const char *, TrialHandler *>{"one_of_few", one_of_few},
        {"one_of_fewest", one_of_fewest}}) {
    expect_same(name, native, program);
    EXPECT_THAT(remarks(name, program), Contains(HasSubstr("is followed in part"))) << name;
  }
}

TEST_F(OneOfTest, BoundsEdges) {
  // Each of 300 positions that load may receive any of 300 saved ones.
  Program program;
  for (std::uint16_t i = 0; i < 300; ++i) {
    program.push_back({trial_try, 0, static_cast<std::uint16_t>(2 * i + 2)});
    program.push_back({trial_back, 0, 0});
  }
  program.push_back({trial_end, 0, 0});
  expect_same("one_of_few", one_of_few, program);
  EXPECT_THAT(remarks("one_of_few", program), Contains(HasSubstr("is followed in part")));
}

} // namespace
