// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interpreters in tail-call form: results of variants, and the parts of the interpreter that remain
// in them.
#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "folding.h"
#include "tail_shapes.h"

extern "C" {
std::uint64_t tail_native(std::uint64_t a, std::uint64_t b) { return a * 31 + b; }
void tail_scramble(std::uint64_t *numbers) {
  numbers[0] ^= numbers[1] << 7U;
  numbers[1] += 3;
}
}

namespace {

using sartor::Configuration;
using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::Gt;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Program = std::vector<TailOp>;

/// Jumps may have any target; the last operations end, so that none is skipped.
Program random_program(std::mt19937 &random, unsigned size, const std::vector<std::uint8_t> &ops) {
  Program program;
  for (unsigned i = 0; i < size; ++i) {
    TailOp op{ops[random() % ops.size()], static_cast<std::uint8_t>(random() % 8),
              static_cast<std::uint8_t>(random() % 8), static_cast<std::uint8_t>(random() % 8),
              static_cast<std::int32_t>(random() % size)};
    if (op.op == tail_jump_if_zero || op.op == tail_jump_if_less || op.op == tail_jump_if_passed)
      op.immediate -= static_cast<std::int32_t>(i);
    program.push_back(op);
  }
  program.push_back({tail_end, 0, 0, 0, 0});
  program.push_back({tail_end, 1, 0, 0, 0});
  return program;
}

std::vector<std::uint8_t> all_operations() {
  std::vector<std::uint8_t> all;
  for (std::uint8_t op = tail_load; op < tail_count; ++op)
    all.push_back(op);
  return all;
}

// Sums products until the requested number is reached.
const Program kLoop = {{tail_input, 1, 0, 0, 0},    {tail_load, 2, 0, 0, 1},
                       {tail_multiply, 4, 3, 1, 0}, {tail_add, 5, 5, 4, 0},
                       {tail_add, 3, 3, 2, 0},      {tail_jump_if_less, 3, 1, 0, -3},
                       {tail_end, 5, 0, 0, 0}};

// Adds until the requested sum is reached.
const Program kOther = {{tail_input, 0, 0, 0, 0},        {tail_load, 1, 0, 0, 9},
                        {tail_jump_if_less, 2, 0, 0, 2}, {tail_end, 1, 0, 0, 0},
                        {tail_add, 2, 2, 1, 0},          {tail_jump, 0, 0, 0, 2}};

struct Form {
  const char *name;
  TailHandler *native;
  const char *label; ///< The label of the point in one of its operations.
};

constexpr std::array kForms = {
    Form{"tail_must", tail_must, "kind must"},
    Form{"tail_may", tail_may, "kind may"},
    Form{"tail_preserve_none", tail_preserve_none, "kind none"},
    Form{"tail_void", tail_void, "kind void"},
    Form{"tail_between", tail_between, "kind must"},
    Form{"tail_repeated", tail_repeated, "kind must"},
    Form{"tail_local", tail_local, "kind must"},
};

class TailTest : public testing::Test {
protected:
  sartor::core::Context context(const std::string &name, const Program &program,
                                const Configuration &configuration = {}) {
    code_ = {program.data(), &other_, 0};
    other_ = {kOther.data(), nullptr, 0};
    invariant_ = {};
    invariant_.add(&code_, offsetof(TailCode, calls));
    invariant_.add(&other_, offsetof(TailCode, calls));
    invariant_.add(program.data(), program.size() * sizeof(TailOp));
    invariant_.add(kOther.data(), kOther.size() * sizeof(TailOp));
    return folding().context(name, &code_, invariant_, configuration);
  }

  void expect_same(const std::string &name, TailHandler *native, const Program &program,
                   const Configuration &configuration = {}) {
    const auto wanted = context(name, program, configuration);
    for (const auto tier : {sartor::core::Tier::full, sartor::core::Tier::quick}) {
      auto *made = folding().made<TailHandler>(wanted, tier);
      ASSERT_TRUE(made);
      for (const std::uint64_t input : {0U, 1U, 2U, 3U, 6U, 17U, 255U, 0xfffffff0U})
        for (const std::uint64_t fuel : {0U, 1U, 2U, 5U, 50U, 300U})
          ASSERT_EQ(made(&code_, input, fuel), native(&code_, input, fuel))
              << name << " on " << input << ", " << fuel;
    }
  }

  Shape shape(const std::string &name, const Program &program,
              const Configuration &configuration = {}) {
    return folding().shape(context(name, program, configuration));
  }

  static Folding &folding() {
    static Folding one;
    return one;
  }

  TailCode code_{};
  TailCode other_{};
  InvariantFixture invariant_;
};

TEST_F(TailTest, TurnsAnInterpretedLoopIntoALoop) {
  for (const Form &form : kForms) {
    expect_same(form.name, form.native, kLoop);
    const Shape shape = this->shape(form.name, kLoop);
    EXPECT_GE(shape.loops, 1U) << form.name << shape.text;
    EXPECT_EQ(shape.loads, 0U) << form.name << shape.text;
    EXPECT_EQ(shape.calls, 0U) << form.name << shape.text;
  }
}

TEST_F(TailTest, GivesWhatRandomProgramsGive) {
  std::mt19937 random(1);
  for (std::size_t i = 0; i < 8; ++i) {
    const Program program = random_program(random, 3 + random() % 20, all_operations());
    for (const Form &form : kForms)
      expect_same(form.name, form.native, program);
  }
}

TEST_F(TailTest, LeavesNothingOfTheInterpreterInRandomPrograms) {
  std::mt19937 random(2);
  const std::vector<std::uint8_t> ops = {tail_load,         tail_add,      tail_multiply,
                                         tail_jump_if_zero, tail_skip,     tail_jump_if_less,
                                         tail_input,        tail_subtract, tail_jump_if_passed};
  for (std::size_t i = 0; i < 4; ++i) {
    const Program program = random_program(random, 16, ops);
    for (const Form &form : kForms) {
      const Shape shape = this->shape(form.name, program);
      EXPECT_EQ(shape.loads, 0U) << form.name << shape.text;
      EXPECT_EQ(shape.calls, 0U) << form.name << shape.text;
    }
  }
}

// Values in the handler's own frame are known until its address is passed to other code.
TEST_F(TailTest, FollowsWhatTheHandlersFrameSays) {
  expect_same("tail_must", tail_must, kOther);
  const Shape shape = this->shape("tail_must", kOther);
  EXPECT_GE(shape.loops, 1U) << shape.text;
  EXPECT_EQ(shape.calls, 0U) << shape.text;
}

TEST_F(TailTest, GuardsPointsInOperations) {
  std::mt19937 random(3);
  const std::vector<std::uint8_t> ops = {tail_pointed, tail_add,          tail_input,
                                         tail_pointed, tail_jump_if_less, tail_multiply};
  for (std::size_t i = 0; i < 4; ++i) {
    const Program program = random_program(random, 8, ops);
    for (const Form &form : kForms)
      for (const std::int64_t kind : {0, 1, 3})
        expect_same(form.name, form.native, program, {{form.label, kind}});
  }
}

TEST_F(TailTest, LeavesForAnOperationThatIsKeptOutAndEndsThere) {
  Program program = kLoop;
  program.insert(program.begin() + 2, {tail_kept_out, 0, 0, 0, 0});
  for (const Form &form : kForms)
    expect_same(form.name, form.native, program);
  EXPECT_EQ(shape("tail_may", program).calls, 1U);
}

// Nothing is known of the operations except that their bytecode is invariant.
TEST_F(TailTest, LeavesAsTheyAreAndReportsOperationsOfWhichNoneIsKnown) {
  expect_same("tail_unknown", tail_unknown, kLoop);
  const auto made = folding().specialized(context("tail_unknown", kLoop));
  EXPECT_THAT(made.remarks,
              Contains(AllOf(HasSubstr("are not followed in tail_unknown where it is not known"),
                             HasSubstr("a load of memory that is not invariant"))));
  const Shape shape = this->shape("tail_unknown", kLoop);
  EXPECT_EQ(shape.calls, 1U) << shape.text;
  EXPECT_EQ(shape.loops, 0U) << shape.text;
  EXPECT_LT(shape.instructions, 50U) << shape.text;
}

TEST_F(TailTest, ReportsWhereItLeavesOperationsThatItFollows) {
  Program program = kLoop;
  EXPECT_THAT(folding().specialized(context("tail_must", program)).remarks,
              Not(Contains(HasSubstr("operations"))));
  program.insert(program.begin() + 2, {tail_kept_out, 0, 0, 0, 0});
  EXPECT_THAT(folding().specialized(context("tail_may", program)).remarks,
              Contains(HasSubstr("from kept_out_may on: it is not to be inlined")));
  program[2] = {tail_jump, 0, 0, 0, 3};
  EXPECT_THAT(folding().specialized(context("tail_repeated", program)).remarks,
              Contains(HasSubstr("multiply_must on: that it comes next was not known in time")));
  program[2] = {tail_go_to, 1, 0, 0, 0};
  EXPECT_THAT(folding().specialized(context("tail_must", program)).remarks,
              Contains(HasSubstr("in tail_must where it is not known which comes next")));
}

TEST_F(TailTest, FollowsAsMuchOfALongProgramAsThereIsRoomFor) {
  std::mt19937 random(5);
  const Program program =
      random_program(random, 3000, {tail_add, tail_multiply, tail_jump_if_less, tail_input});
  expect_same("tail_must", tail_must, program);
  EXPECT_THAT(folding().specialized(context("tail_must", program)).remarks,
              Contains(HasSubstr("followed in part")));
}

TEST_F(TailTest, LeavesOperationsOfAHandlerThatCannotBeCopied) {
  expect_same("tail_setjmp", tail_setjmp, kLoop);
  EXPECT_THAT(folding().specialized(context("tail_setjmp", kLoop)).remarks,
              Contains(HasSubstr("are not followed in tail_setjmp where it is not known")));
}

TEST_F(TailTest, LeavesAndReportsWhatThereIsNoRoomFor) {
  const Program program = {{6, 0, 0, 0, 0}, {5, 0, 0, 0, 0}, {2, 0, 0, 0, 0},
                           {1, 0, 0, 0, 0}, {3, 0, 0, 0, 0}, {0, 0, 0, 0, 0}};
  const Program none = {{1, 0, 0, 0, 0}, {0, 0, 0, 0, 0}};
  for (const Program &each : {program, none}) {
    const auto wanted = context("tail_large", each);
    auto *made = folding().made<TailHandler>(wanted, sartor::core::Tier::quick);
    ASSERT_TRUE(made);
    EXPECT_EQ(made(&code_, 5, 0), tail_large(&code_, 5, 0));
    EXPECT_THAT(folding().specialized(wanted).remarks,
                Contains(HasSubstr("on: its code is not at hand, or too large")));
  }
  expect_same("tail_large_unknown", tail_large_unknown, none);
  EXPECT_THAT(folding().specialized(context("tail_large_unknown", none)).remarks,
              Contains(HasSubstr("from large_1 on: how it goes on is not known")));
}

TEST_F(TailTest, LeavesAndReportsWhatCannotBeTakenIn) {
  Program program(60, {1, 1, 0, 0, 0}); // longer than inlining would unroll
  program.push_back({0, 0, 0, 0, 0});
  expect_same("tail_structure", tail_structure, program);
  EXPECT_THAT(folding().specialized(context("tail_structure", program)).remarks,
              Contains(HasSubstr("on: it takes or gives structures in memory")));
  expect_same("tail_array", tail_array, program);
  EXPECT_THAT(folding().specialized(context("tail_array", program)).remarks,
              Contains(HasSubstr("on: it has variables of unknown size")));
}

TEST_F(TailTest, TakesInTheFirstOperationThatIsCalledByName) {
  Program program = kLoop;
  expect_same("tail_begun", tail_begun, program);
  EXPECT_EQ(shape("tail_begun", program).calls, 0U);
}

// Bound in two steps: calls that remain after the first step are followed in the second.
TEST_F(TailTest, FollowsWhatIsBoundInStages) {
  auto staged = context("tail_must", kLoop);
  staged.arguments.emplace(1, std::int64_t{5});
  staged.stages = {{0}};
  auto *made = folding().made<TailHandler>(staged, sartor::core::Tier::full);
  ASSERT_TRUE(made);
  for (const std::uint64_t fuel : {0U, 1U, 3U, 50U})
    EXPECT_EQ(made(&code_, 5, fuel), tail_must(&code_, 5, fuel));
  EXPECT_THAT(folding().fold_report().loops, Contains(Field(&sartor::LoopReport::copies, Gt(0U))));
}

// 0: end, 1: try, 2: multiply and add, 3: back if odd
TEST_F(TailTest, FollowsPlacesThatWereSaved) {
  const Program program = {{1, 0, 0, 0, 5}, {2, 0, 0, 0, 1}, {1, 0, 0, 0, 2}, {3, 0, 0, 0, 0},
                           {2, 0, 0, 0, 4}, {2, 0, 0, 0, 3}, {3, 0, 0, 0, 0}, {0, 0, 0, 0, 0}};
  expect_same("tail_saved", tail_saved, program);
  EXPECT_THAT(folding().specialized(context("tail_saved", program)).remarks, IsEmpty());
  std::mt19937 random(4);
  for (std::size_t i = 0; i < 6; ++i) {
    Program other = random_program(random, 6, {1, 2, 2, 3});
    for (std::size_t at = 0; at + 2 < other.size(); ++at) // relative to its position
      other[at].immediate += other[at].op == 1 ? 1 - static_cast<std::int32_t>(at) : 0;
    other[6].op = other[7].op = 0;
    expect_same("tail_saved", tail_saved, other);
  }
}

// With a single operation, LLVM replaces the switch by a comparison.
TEST_F(TailTest, FollowsOneOperation) {
  Program program(5, {0, 0, 0, 0, 3});
  program.push_back({2, 0, 0, 0, 4});
  expect_same("tail_alone", tail_alone, program);
  const Shape shape = this->shape("tail_alone", program);
  EXPECT_EQ(shape.loads, 0U) << shape.text;
  EXPECT_EQ(shape.calls, 0U) << shape.text;
  program[3].op = 1;
  expect_same("tail_alone", tail_alone, program);
  EXPECT_THAT(folding().specialized(context("tail_alone", program)).remarks,
              Contains(HasSubstr("from alone_kept_out on: it is not to be inlined")));
}

TEST_F(TailTest, CatchesWhatOperationsThrow) {
  // 0: end, 1: add, 2: jump if less, 3: throw on a condition
  const Program program = {{1, 1, 2, 0, 5}, {1, 0, 0, 0, 1}, {2, 0, 1, 0, 3},
                           {3, 0, 0, 0, 0}, {2, 0, 1, 0, 1}, {0, 0, 0, 0, 0}};
  expect_same("tail_thrown", tail_thrown, program);
}

TEST_F(TailTest, FollowsAddressesOfOperationsInTheProgram) {
  const auto [add, multiply, load, jump_if_less, end] =
      std::to_array({tail_words[0], tail_words[1], tail_words[2], tail_words[3], tail_words[4]});
  const std::array<TailWord, 17> words = {{{.operation = load},
                                           {.number = 3},
                                           {.number = 40},
                                           {.operation = add},
                                           {.number = 4},
                                           {.number = 1},
                                           {.operation = multiply},
                                           {.number = 2},
                                           {.number = 4},
                                           {.operation = jump_if_less},
                                           {.number = 4},
                                           {.number = 3},
                                           {.number = -6},
                                           {.operation = end},
                                           {.number = 2},
                                           {},
                                           {}}};
  InvariantFixture invariant;
  invariant.add(words.data(), sizeof words);
  auto *made = folding().variant<decltype(tail_threaded)>("tail_threaded", words.data(), invariant);
  ASSERT_TRUE(made);
  for (const std::uint64_t fuel : {0U, 1U, 5U, 100U})
    EXPECT_EQ(made(words.data(), 7, fuel), tail_threaded(words.data(), 7, fuel));
  const Shape shape = folding().shape(folding().context("tail_threaded", words.data(), invariant));
  EXPECT_EQ(shape.loads, 0U) << shape.text;
  EXPECT_EQ(shape.calls, 1U) << shape.text; // the assertion
}

TEST_F(TailTest, IsAnOperationItself) {
  const auto wanted = context("tail_itself", kLoop);
  auto context = wanted;
  context.arguments = {
      {0U, static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(kLoop.data()))}};
  auto *made = folding().made<decltype(tail_itself)>(context, sartor::core::Tier::full);
  ASSERT_TRUE(made);
  for (const std::uint64_t input : {0U, 1U, 9U}) {
    std::array<std::uint64_t, 8> one{};
    std::array<std::uint64_t, 8> other{};
    TailMachine for_one = {&code_, 50, input, 0};
    TailMachine for_other = for_one;
    EXPECT_EQ(made(kLoop.data(), one.data(), &for_one, 3),
              tail_itself(kLoop.data(), other.data(), &for_other, 3));
    EXPECT_EQ(one, other);
    EXPECT_EQ(for_one.fuel, for_other.fuel);
  }
  EXPECT_EQ(folding().shape(context).calls, 0U);
}

} // namespace
