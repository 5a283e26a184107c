// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/requested.h"

#include <gtest/gtest.h>

namespace sartor {
namespace {

TEST(Requested, TheNewestIsThatOfTheLastActivation) {
  Requested requested;
  EXPECT_TRUE(requested.newest().empty());
  requested.add(1, {{"B", 1}});
  EXPECT_TRUE(requested.is_newest(1));
  EXPECT_TRUE(requested.is_newest(2)); // one that activates nothing, such as a binding's
  EXPECT_TRUE(requested.is_newest(1));
  requested.add(3, {{"B", 3}});
  EXPECT_FALSE(requested.is_newest(1));
  EXPECT_EQ(requested.newest(), (Configuration{{"B", 3}}));
  requested.failed(3);
  EXPECT_TRUE(requested.is_newest(1));
  EXPECT_EQ(requested.newest(), (Configuration{{"B", 1}}));
  requested.add(4, {{"B", 4}});
  requested.activated(4);
  EXPECT_FALSE(requested.is_newest(1));
  EXPECT_TRUE(requested.is_newest(4));
  EXPECT_EQ(requested.newest(), (Configuration{{"B", 4}}));
}

} // namespace
} // namespace sartor
