// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Guards in a handler's native code and in its variants.

#include "watched_handler.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sartor/sartor.hpp>

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

bool refuses = false;
std::vector<const void *> asked;
std::vector<const void *> reported;

} // namespace

// Replacements of the run-time functions.
extern "C" {
int sartor_may_write(void *address, std::uint64_t) {
  asked.push_back(address);
  return refuses ? 0 : 1;
}
void sartor_written(void *address, std::uint64_t) { reported.push_back(address); }
}

namespace {

class WatchedHandler : public testing::TestWithParam<bool> {
protected:
  WatchedHandler() {
    if (GetParam()) {
      runtime_.specialize({{"limit", 5}});
      admit_(&account_, 6); // its guard fails, so the call was in a variant
      EXPECT_EQ(runtime_.statistics().guard_failures.at("limit"), 1U);
      account_.calls = account_.limit = 0;
      account_.holders = 0;
    }
    refuses = false;
    asked.clear();
    reported.clear();
  }
  ~WatchedHandler() override { arm(false); }

  static void arm(bool on) {
    for (const sartor_watch *row = __start_sartor_watches; row != __stop_sartor_watches; ++row)
      *row->armed = on ? 1 : 0;
  }

  sartor::Runtime runtime_;
  sartor::Handler<long(Account *, long)> admit_ = runtime_.handler<&admit>();
  Account account_;
};

TEST_P(WatchedHandler, AsksNobodyWhileNothingIsArmed) {
  EXPECT_EQ(admit_(&account_, 5), 5);
  EXPECT_EQ(account_.limit, 5);
  EXPECT_THAT(asked, IsEmpty());
}

TEST_P(WatchedHandler, AsksBeforeItsStoresAndReportsAfterwards) {
  arm(true);
  EXPECT_EQ(admit_(&account_, 5), 5);
  EXPECT_THAT(asked, ElementsAre(&account_.limit, &account_.holders));
  EXPECT_THAT(reported, asked);
  EXPECT_EQ(account_.holders, 1);
}

TEST_P(WatchedHandler, LeavesOutWhatIsRefused) {
  arm(true);
  refuses = true;
  EXPECT_EQ(admit_(&account_, 5), 5);
  EXPECT_EQ(account_.calls, 1);
  EXPECT_EQ(account_.limit, 0);
  EXPECT_EQ(account_.holders, 0);
  EXPECT_THAT(reported, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Specialized, WatchedHandler, testing::Bool());

} // namespace
