// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <memory>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fold_shapes.h"
#include "folding.h"

std::uint64_t fold_seldom(std::uint64_t number) { return number ^ 0x55U; }

namespace {

using Program = std::vector<Instruction>;

/// A program with arbitrary jumps, also backward; the last instruction returns.
Program random_program(std::mt19937 &random, unsigned size, const std::vector<std::uint8_t> &ops) {
  Program program;
  for (unsigned i = 0; i + 1 < size; ++i) {
    Instruction instruction{};
    instruction.op = ops[random() % ops.size()];
    instruction.a = random() % 8;
    instruction.b = random() % 8;
    instruction.c = random() % 8;
    const bool jumps = instruction.op >= op_jump;
    instruction.immediate = static_cast<std::int32_t>(random() % (jumps ? size : 100U));
    program.push_back(instruction);
  }
  program.push_back({op_return, 0, 0, 0, 0});
  return program;
}

class InterpreterTest : public testing::Test {
protected:
  /// Folds an interpreter over a program and compares it with the native code.
  void expect_same(const std::string &name, Handler3 *native, const Program &program) {
    config_->program = program.data();
    InvariantFixture invariant;
    invariant.add(config_.get(), offsetof(Config, counter));
    invariant.add(program.data(), program.size() * sizeof(Instruction));
    auto *folded = folding().variant<Handler3>(name, config_.get(), invariant);
    ASSERT_TRUE(folded);
    for (std::uint64_t a : {0U, 1U, 2U, 3U, 17U, 64U, 255U, 0xfffffff0U})
      for (std::uint64_t fuel : {0U, 1U, 2U, 5U, 50U, 1000U})
        ASSERT_EQ(folded(config_.get(), a, fuel), native(config_.get(), a, fuel))
            << name << " on " << a << ", " << fuel;
  }

  sartor::core::Context context(const std::string &name, const Program &program) {
    config_->program = program.data();
    InvariantFixture invariant;
    invariant.add(config_.get(), offsetof(Config, counter));
    invariant.add(program.data(), program.size() * sizeof(Instruction));
    return folding().context(name, config_.get(), invariant);
  }
  Shape shape(const std::string &name, const Program &program) {
    return folding().shape(context(name, program));
  }

  static Folding &folding() {
    static Folding one;
    return one;
  }

  std::unique_ptr<Config> config_ = std::make_unique<Config>();
};

constexpr std::size_t kPrograms = 12;

const std::vector<std::uint8_t> kAllOps = {
    op_load,  op_add,   op_subtract, op_multiply, op_xor,          op_move,         op_input,
    op_shift, op_input, op_jump,     op_add,      op_jump_if_zero, op_jump_if_less, op_return};

TEST_F(InterpreterTest, TurnsStraightCodeIntoStraightCode) {
  const Program program = {{op_input, 1, 0, 0, 0},
                           {op_load, 2, 0, 0, 5},
                           {op_multiply, 3, 1, 2, 0},
                           {op_xor, 0, 3, 1, 0},
                           {op_return, 0, 0, 0, 0}};
  expect_same("fold_run", fold_run, program);
  const Shape shape = this->shape("fold_run", program);
  EXPECT_EQ(shape.loops, 0U) << shape.text;
  EXPECT_EQ(shape.loads, 0U) << shape.text;
}

TEST_F(InterpreterTest, TurnsAnInterpretedLoopIntoALoop) {
  const Program program = {{op_input, 1, 0, 0, 0},    {op_load, 2, 0, 0, 1},
                           {op_xor, 3, 3, 1, 0},      {op_multiply, 3, 3, 1, 0},
                           {op_subtract, 1, 1, 2, 0}, {op_jump_if_less, 2, 1, 0, 2},
                           {op_return, 3, 0, 0, 0}};
  expect_same("fold_run", fold_run, program);
  const Shape shape = this->shape("fold_run", program);
  EXPECT_GE(shape.loops, 1U) << shape.text;
  EXPECT_EQ(shape.loads, 0U) << shape.text;
}

TEST_F(InterpreterTest, RunsRandomPrograms) {
  std::mt19937 random(1);
  for (std::size_t i = 0; i < kPrograms; ++i)
    expect_same("fold_run", fold_run, random_program(random, 4 + random() % 20, kAllOps));
}

TEST_F(InterpreterTest, LeavesNothingOfTheInterpreterInRandomPrograms) {
  std::mt19937 random(2);
  for (std::size_t i = 0; i < 3; ++i) {
    const Program program = random_program(random, 16, kAllOps);
    EXPECT_EQ(shape("fold_run", program).loads, 0U);
  }
}

const std::vector<std::uint8_t> kDecodedOps = {op_load,  op_add,  op_multiply,     op_xor,
                                               op_input, op_jump, op_jump_if_zero, op_jump_if_less,
                                               op_input, op_add,  op_return};

// A decoder that is called twice remains a separate function.
TEST_F(InterpreterTest, FollowsWhatIsDecodedOutOfLine) {
  std::mt19937 random(6);
  for (std::size_t i = 0; i < kPrograms; ++i) {
    const Program program = random_program(random, 4 + random() % 20, kDecodedOps);
    config_->count = static_cast<std::uint32_t>(program.size());
    expect_same("fold_run_decoding", fold_run_decoding, program);
    EXPECT_EQ(shape("fold_run_decoding", program).loads, 0U);
  }
}

// Rare instructions return into the decoding loop, which would otherwise never be left.
TEST_F(InterpreterTest, FollowsWhatComesBackFromWhatIsRare) {
  const Program program = {{op_input, 1, 0, 0, 0},        {op_load, 2, 0, 0, 3},
                           {op_multiply, 3, 1, 1, 0},     {op_xor, 4, 4, 3, 0},
                           {op_add, 1, 1, 2, 0},          {op_load, 5, 0, 0, 300},
                           {op_jump_if_less, 1, 5, 0, 2}, {op_return, 4, 0, 0, 0}};
  config_->count = static_cast<std::uint32_t>(program.size());
  expect_same("fold_run_decoding", fold_run_decoding, program);
  const Shape shape = this->shape("fold_run_decoding", program);
  EXPECT_EQ(shape.loads, 0U) << shape.text;
  EXPECT_EQ(shape.loops, 1U) << shape.text;
  EXPECT_EQ(shape.calls, 1U) << shape.text;
}

TEST_F(InterpreterTest, FollowsConditionsThatEnterTheProgramCounterAsNumbers) {
  std::mt19937 random(3);
  for (std::size_t i = 0; i < kPrograms; ++i) {
    const Program program = random_program(
        random, 4 + random() % 12,
        {op_load, op_add, op_multiply, op_jump, op_jump_if_zero, op_jump_if_less, op_return});
    // Without padding, a skip over the last instruction would leave the program.
    Program padded = program;
    padded.push_back(program.back());
    expect_same("fold_run_selecting", fold_run_selecting, padded);
    EXPECT_EQ(shape("fold_run_selecting", padded).loads, 0U);
  }
}

TEST_F(InterpreterTest, FollowsComputedJumps) {
  std::mt19937 random(4);
  for (std::size_t i = 0; i < kPrograms; ++i) {
    const Program program = random_program(random, 4 + random() % 12, {1, 2, 3, 4, 2, 4});
    Program in_range = program;
    for (Instruction &instruction : in_range)
      instruction.immediate %= static_cast<std::int32_t>(in_range.size());
    expect_same("fold_run_threaded", fold_run_threaded, in_range);
    const Shape shape = this->shape("fold_run_threaded", in_range);
    EXPECT_EQ(shape.loads, 0U) << shape.text;
  }
}

TEST_F(InterpreterTest, GivesABudgetUpRatherThanTheProgramCounter) {
  std::mt19937 random(5);
  for (std::size_t i = 0; i < 4; ++i) {
    const Program program =
        random_program(random, 10, {op_add, op_multiply, op_jump_if_zero, op_add});
    expect_same("fold_run_with_budget", fold_run_with_budget, program);
    const Shape shape = this->shape("fold_run_with_budget", program);
    EXPECT_EQ(shape.loads, 0U) << shape.text;
    EXPECT_LT(shape.instructions, 3000U);
  }
}

TEST_F(InterpreterTest, FollowsAsMuchOfALongProgramAsThereIsRoomFor) {
  std::mt19937 random(6);
  const std::vector<std::uint8_t> straight = {op_load, op_add,  op_subtract, op_multiply,
                                              op_xor,  op_move, op_input};
  const Program program = random_program(random, 3000, straight);
  expect_same("fold_run", fold_run, program);
  EXPECT_THAT(folding().specialized(context("fold_run", program)).remarks,
              testing::Contains(testing::HasSubstr("is followed in part: beyond ")));
  const Shape shape = this->shape("fold_run", program);
  EXPECT_GT(shape.loads, 0U); // loads of the generic loop
  EXPECT_GT(shape.instructions, 500U);
  EXPECT_LT(shape.instructions, 10'000U);
}

} // namespace
