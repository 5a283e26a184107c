// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The properties that the fuzzers check, on random bytes.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "function_input.h"

namespace nf {
namespace {

TEST(FunctionInput, IsSurvivedByEachFunction) {
  for (const Function *const function : all_functions()) {
    configure_by_example(*function);
    std::mt19937_64 random(1);
    std::uint64_t passed = 0;
    for (unsigned i = 0; i < 300; ++i) {
      Bytes input(random() % 2000);
      std::ranges::generate(input, [&] { return static_cast<std::uint8_t>(random()); });
      look_at_frames(*function, input);
      passed += function->counts[0];
    }
    EXPECT_GT(passed, 0U) << function->name;
    function->forget(1);
  }
}

} // namespace
} // namespace nf
