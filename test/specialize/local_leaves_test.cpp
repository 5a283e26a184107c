// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code that is reached by leaving a handler in the middle reads the handler's values in memory.
#include <array>
#include <csetjmp>

#include <gtest/gtest.h>

#include "folding.h"
#include "local_leaves.h"

namespace {

std::jmp_buf away;

} // namespace

void local_may_throw(long number) {
  if (number > 0 && number % 7 == 0)
    throw number;
}

void local_jump_away() { std::longjmp(away, 1); }

namespace {

using Handler = long(long, long *, long);

struct Left {
  long result = 0, thrown = 0;
  bool has_jumped = false;
  std::array<long, local_leaves_registers> memory{5, 6, 7, 8};
  bool operator==(const Left &) const = default;
};

Left run(Handler *handler, long bias, long steps) {
  static Left left; // longjmp() does not affect static variables
  left = {};
  if (setjmp(away) != 0) {
    left.has_jumped = true;
    return left;
  }
  try {
    left.result = handler(bias, left.memory.data(), steps);
  } catch (long number) {
    left.thrown = number;
  }
  return left;
}

class LocalLeavesTest : public testing::Test {
protected:
  static void expect_same(const char *name, Handler *native) {
    static Folding folding;
    auto *made = folding.made<Handler>(folding.context(name, {}), sartor::core::Tier::full);
    ASSERT_TRUE(made);
    bool has_thrown = false, has_jumped = false;
    for (const long bias : {-1, 0, 2, 40, 100})
      for (const long steps : {0, 1, 3, 7, 8, 20}) {
        const Left expected = run(native, bias, steps);
        EXPECT_EQ(run(made, bias, steps), expected) << name << ' ' << bias << ' ' << steps;
        has_thrown |= expected.thrown != 0;
        has_jumped |= expected.has_jumped;
      }
    EXPECT_EQ(has_thrown && has_jumped, native == local_leaves);
  }
};

TEST_F(LocalLeavesTest, ByWhatIsThrownAndByJumps) { expect_same("local_leaves", local_leaves); }

TEST_F(LocalLeavesTest, ByNothingWhereItIsCaught) { expect_same("local_catches", local_catches); }

} // namespace
