// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Random code with points at random places, written by generate_shapes.cpp when this is built.
/// Another seed: cmake -DSARTOR_RANDOM_SEED=...; more rounds: SARTOR_DIFFERENTIAL_ROUNDS in the
/// environment.
#include <gtest/gtest.h>

#include "differential.h"
#include "random_shapes.h"

TEST(RandomHandlers, DoWhatTheirNativeCodeDoes) {
  sartor::Runtime runtime;
  std::uint64_t failures = 0;
#define SARTOR_CHECK(name)                                                                         \
  failures += expect_same(runtime, #name, &name, rounds_or(2), Values::one_mostly);
  RANDOM_SHAPES(SARTOR_CHECK)
  EXPECT_GT(failures, 0U) << "no input ever failed a guard";
}
