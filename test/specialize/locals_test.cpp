// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values of sartor_local() memory that variants keep in registers, and the code that can
// observe them.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "folding.h"
#include "local_shapes.h"

void local_look_and_stay(LocalMachine *machine, long number) {
  for (unsigned i = 0; i < local_registers; ++i)
    machine->seen = local_sum(local_product(machine->seen, 31), machine->registers[i]);
  long &changed = machine->registers[number % local_registers];
  changed = local_sum(changed, number);
}

void local_look(LocalMachine *machine, long number) {
  local_look_and_stay(machine, number);
  long *next = machine->spare[machine->registers == machine->spare[0] ? 1 : 0];
  std::copy_n(machine->registers, int{local_registers}, next);
  std::fill_n(machine->registers, int{local_registers}, -1); // not read any more
  machine->registers = next;
}

void local_bump(long *number) { *number = local_sum(*number, 7); }

namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using Code = std::vector<LocalInstruction>;

Code random_code(std::mt19937 &random, unsigned size, unsigned char operations) {
  Code code;
  for (unsigned i = 0; i + 1 < size; ++i) {
    const auto number = [&](unsigned bound) {
      return static_cast<unsigned char>(random() % bound);
    };
    LocalInstruction each{number(operations), number(local_registers), number(local_registers),
                          number(local_registers), 0};
    const bool jumps = each.operation == local_jump || each.operation == local_jump_if_odd;
    each.immediate = static_cast<int>(random() % (jumps ? size : 200U));
    code.push_back(each);
  }
  code.push_back({local_return, 3, 0, 0, 0});
  return code;
}

class LocalsTest : public testing::Test {
protected:
  sartor::core::Context context(const std::string &name, const Code &code) {
    program_.code = code.data();
    InvariantFixture invariant;
    invariant.add(program_);
    invariant.add(code.data(), code.size() * sizeof code[0]);
    return folding().context(name, &program_, invariant);
  }

  struct Outcome {
    long result, seen;
    std::vector<long> registers;
    bool operator==(const Outcome &) const = default;
  };
  Outcome run(LocalHandler *handler, long fuel) {
    LocalMachine machine{};
    machine.registers = machine.spare[0];
    for (unsigned i = 0; i < local_registers; ++i)
      machine.registers[i] = fuel * 5 + i;
    const long result = handler(&program_, &machine, fuel);
    return {result, machine.seen, {machine.registers, machine.registers + local_registers}};
  }

  void expect_same(const std::string &name, LocalHandler *native, const Code &code) {
    auto *made = folding().made<LocalHandler>(context(name, code), sartor::core::Tier::full);
    ASSERT_TRUE(made);
    for (const long fuel : {0, 1, 2, 3, 5, 8, 13, 50, 400})
      ASSERT_EQ(run(made, fuel), run(native, fuel)) << name << ", fuel " << fuel;
  }

  std::vector<std::string> remarks(const std::string &name) {
    return folding().specialized(context(name, {{local_load, 0, 0, 0, 5}})).remarks;
  }

  static Folding &folding() {
    static Folding one;
    return one;
  }

  LocalProgram program_{};
};

std::size_t count(const std::string &text, const std::string &word) {
  std::size_t found = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    ++found;
  return found;
}

TEST_F(LocalsTest, WritesWhatHasChangedOnceAtTheEnd) {
  const Code code = {{local_load, 1, 0, 0, 5}, {local_load, 2, 0, 0, 6},
                     {local_add, 1, 1, 2, 0},  {local_add, 2, 1, 1, 0},
                     {local_add, 1, 2, 1, 0},  {local_return, 1, 0, 0, 0}};
  expect_same("local_run", local_run, code);
  const Shape shape = folding().shape(context("local_run", code));
  EXPECT_EQ(shape.calls, 0U);
  // The stores of the two registers: where fuel may run out, and at the end.
  EXPECT_LE(count(shape.text, "store "), 2U * 6U) << shape.text;
}

TEST_F(LocalsTest, KeepsRegistersOfALoopOutOfMemory) {
  const Code code = {{local_load, 1, 0, 0, 1},     {local_multiply, 2, 2, 0, 0},
                     {local_add, 3, 3, 2, 0},      {local_low_byte, 4, 0, 0, 9},
                     {local_move_two, 6, 2, 0, 0}, {local_jump_if_odd, 1, 0, 0, 1},
                     {local_return, 3, 0, 0, 0}};
  expect_same("local_run", local_run, code);
  const Shape shape = folding().shape(context("local_run", code));
  ASSERT_EQ(shape.loops, 1U) << shape.text;
  EXPECT_EQ(shape.accesses_in_loops, 0U) << shape.text;
}

TEST_F(LocalsTest, RunsRandomPrograms) {
  std::mt19937 random(11);
  for (unsigned i = 0; i < 60; ++i)
    expect_same("local_run", local_run,
                random_code(random, 4 + random() % 24, i % 3 ? local_return : local_call));
}

TEST_F(LocalsTest, RunsRandomProgramsChecked) {
  std::mt19937 random(12);
  for (unsigned i = 0; i < 20; ++i)
    expect_same("local_run_checked", local_run,
                random_code(random, 4 + random() % 24, local_return));
}

TEST_F(LocalsTest, IsOfUseWithoutInvariants) {
  const Code code = {{local_load, 1, 0, 0, 5}, {local_add, 3, 1, 2, 0}, {local_return, 3, 0, 0, 0}};
  program_.code = code.data();
  auto *made =
      folding().made<LocalHandler>(folding().context("local_run", {}), sartor::core::Tier::full);
  ASSERT_TRUE(made);
  for (const long fuel : {0, 1, 2, 9})
    EXPECT_EQ(run(made, fuel), run(local_run, fuel));
}

TEST_F(LocalsTest, SaysWhereItHasNoEffect) {
  EXPECT_THAT(remarks("local_unsized"), Contains(HasSubstr("its size is not known")));
  EXPECT_THAT(remarks("local_empty"), Contains(HasSubstr("nothing in it is accessed")));
  for (const char *name : {"local_disturbed", "local_lost"})
    EXPECT_THAT(remarks(name), Not(Contains(HasSubstr("sartor_local()"))));
  const Code code = {{local_load, 0, 0, 0, 5}};
  for (const auto &[name, native] : {std::pair{"local_unsized", &local_unsized},
                                     {"local_empty", &local_empty},
                                     {"local_lost", &local_lost}})
    expect_same(name, native, code);
}

TEST_F(LocalsTest, FindsWhoChangesWhatNobodyWasToChange) {
  const Code code = {{local_load, 0, 0, 0, 1}};
  auto *unchecked =
      folding().made<LocalHandler>(context("local_disturbed", code), sartor::core::Tier::full);
  auto *checked = folding().made<LocalHandler>(context("local_disturbed_checked", code),
                                               sartor::core::Tier::full);
  ASSERT_TRUE(unchecked && checked);
  EXPECT_EQ(run(unchecked, 9).result, 9);
  EXPECT_DEATH(run(checked, 9), "local_handlers.inc:[0-9]+: the byte at .* sartor_local\\(\\)");
}

} // namespace
