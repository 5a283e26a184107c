// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/search/compile_order.h"

#include <gtest/gtest.h>

namespace sartor {
namespace {

const Configuration generic, small{{"N", 4}}, large{{"N", 64}}, small_fast{{"N", 4}, {"fast", 1}},
    large_fast{{"N", 64}, {"fast", 1}};

TEST(CompileOrder, IsAsGivenWhereNothingIsKnown) {
  CompileOrder order({}, {generic, small, large});
  EXPECT_EQ(order.next(), generic);
  EXPECT_EQ(order.next(), small);
  EXPECT_EQ(order.next(), large);
  EXPECT_EQ(order.next(), std::nullopt);
}

TEST(CompileOrder, HasWhatIsLikelyToBeGoodFirstAndOnce) {
  CompileOrder order({large}, {generic, large, small});
  EXPECT_EQ(order.next(), large);
  EXPECT_EQ(order.next(), generic);
  EXPECT_EQ(order.next(), small);
  EXPECT_EQ(order.next(), std::nullopt);
}

TEST(CompileOrder, LeavesForLaterWhatIsLikeSomethingDear) {
  CompileOrder order({}, {large, small, large_fast, small_fast});
  order.took(*order.next(), 2);
  order.took(*order.next(), 0.1);
  EXPECT_EQ(order.next(), small_fast);
  EXPECT_EQ(order.next(), large_fast);
}

} // namespace
} // namespace sartor
