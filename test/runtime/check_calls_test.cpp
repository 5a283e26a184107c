// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With SARTOR_CHECK_CALLS=on, each call reports whether memory that it may have folded has changed.
#include <chrono>
#include <string>
#include <thread>

#include <unistd.h>

#include <gmock/gmock.h>

#include <sartor/sartor.hpp>

#include "comes_true.h"
#include "handlers/files.h"
#include "logged.h"

namespace {

using namespace std::chrono_literals;
using sartor::_;

class CheckedCalls : public Logged {
protected:
  sartor::QuasiInvariant shared() {
    sartor::QuasiInvariant quasi_invariant("shared");
    quasi_invariant.add_fields(file_, &File::shared);
    return quasi_invariant;
  }
  template <class Read> static bool is_folded(const Read &read) {
    return comes_true([&] { return (read(nullptr) & kSharedIsFolded) != 0; });
  }
  // Writes without a guard.
  void store(std::uint64_t value) { __atomic_store_n(&file_.shared, value, __ATOMIC_RELAXED); }

  File file_ = {0, 0, 0, 4096};
};

TEST_F(CheckedCalls, FindAStoreBeforeACall) {
  sartor::Runtime runtime(logged());
  const auto quasi_invariant = shared();
  const auto read = runtime.bind<&read_and_call>(&file_, _);
  ASSERT_TRUE(is_folded(read));
  EXPECT_EQ(quasi_invariant.figures().unseen, 0U);
  store(3);
  EXPECT_EQ(read([](File *) {}), 0U); // a wrong result, which is reported after the call
  EXPECT_EQ(quasi_invariant.figures().unseen, 1U);
  EXPECT_FALSE(quasi_invariant.valid());
  EXPECT_EQ(read([](File *) {}), 3'000U);
  EXPECT_THAT(log(), testing::HasSubstr(
                         R"("event":"quasi_invariant_changed_unseen","quasi_invariant":"shared")"));
  // The request that compiled the variant may still be under way. It checks again whether the
  // quasi-invariant is valid, and a violation that it finds is no replugging.
  if (runtime.statistics().replugs > 0)
    EXPECT_THAT(log(), testing::HasSubstr(R"("event":"replug")"));
}

TEST_F(CheckedCalls, FindAStoreWithinACall) {
  sartor::Runtime runtime;
  const auto quasi_invariant = shared();
  const auto read = runtime.bind<&read_and_call>(&file_, _);
  ASSERT_TRUE(is_folded(read));
  read([](File *file) { __atomic_store_n(&file->shared, 4, __ATOMIC_RELAXED); });
  EXPECT_EQ(quasi_invariant.figures().unseen, 1U);
  EXPECT_EQ(read([](File *) {}), 4'000U);
}

// Each call compares all valid quasi-invariants, whichever handler and thread it belongs to.
TEST_F(CheckedCalls, FindAStoreByAFunctionPointer) {
  sartor::Runtime runtime;
  const auto quasi_invariant = shared();
  const auto bound = runtime.bind<&read_and_call>(&file_, _);
  const auto read = runtime.handler<&read_file>().function();
  ASSERT_TRUE(is_folded(bound));
  store(5);
  std::thread([&] { read(&file_, 0); }).join(); // on a thread that has never called a handler
  EXPECT_EQ(quasi_invariant.figures().unseen, 1U);
}

TEST_F(CheckedCalls, AreRightWhereWritersPassGuards) {
  sartor::Runtime runtime;
  const auto quasi_invariant = shared();
  const auto read = runtime.bind<&read_and_call>(&file_, _);
  for (std::uint64_t value = 1; value < 5; ++value) {
    ASSERT_TRUE(is_folded(read));
    {
      const sartor::Write write(quasi_invariant);
      file_.shared = value;
    }
    EXPECT_EQ(read([](File *) {}), value * 1'000);
  }
  EXPECT_EQ(quasi_invariant.figures().unseen, 0U);
}

TEST_F(CheckedCalls, FindAViolatedInvariantOnce) {
  sartor::Runtime runtime(logged());
  sartor::Invariant invariant;
  invariant.add_fields(file_, &File::shared);
  const auto read = runtime.bind<&read_and_call>(&file_, _);
  ASSERT_TRUE(is_folded(read));
  EXPECT_THAT(log(), testing::Not(testing::HasSubstr("invariant_changed_unseen")));
  store(6);
  read(nullptr);
  read(nullptr);
  const std::string reported = log();
  const auto first = reported.find("invariant_changed_unseen");
  EXPECT_NE(first, std::string::npos);
  EXPECT_EQ(reported.find("invariant_changed_unseen", first + 1), std::string::npos);
  invariant.invalidate();
}

} // namespace
