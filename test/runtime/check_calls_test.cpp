// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With SARTOR_CHECK_CALLS=on, each call tells whether what it may have folded is what is there.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include <unistd.h>

#include <gmock/gmock.h>

#include <sartor/sartor.hpp>

#include "comes_true.h"
#include "handlers/files.h"

namespace {

using namespace std::chrono_literals;
using sartor::_;

class CheckedCalls : public testing::Test {
protected:
  sartor::Options logged() {
    sartor::Options options;
    options.event_log = log_;
    return options;
  }
  [[nodiscard]] std::string log() const {
    std::ifstream file(log_);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  ~CheckedCalls() override { std::filesystem::remove(log_); }

  sartor::QuasiInvariant shared() {
    sartor::QuasiInvariant fact("shared");
    fact.add_fields(file_, &File::shared);
    return fact;
  }
  template <class Read> static bool is_folded(const Read &read) {
    return comes_true([&] { return (read(nullptr) & kSharedIsFolded) != 0; });
  }
  // Behind everybody's back.
  void store(std::uint64_t value) { __atomic_store_n(&file_.shared, value, __ATOMIC_RELAXED); }

  std::filesystem::path log_ = std::filesystem::temp_directory_path() /
                               ("sartor-calls-" + std::to_string(getpid()) + ".log");
  File file_ = {0, 0, 0, 4096};
};

TEST_F(CheckedCalls, FindAStoreBeforeACall) {
  sartor::Runtime runtime(logged());
  const auto fact = shared();
  const auto read = runtime.bind<&read_and_call>(&file_, _);
  ASSERT_TRUE(is_folded(read));
  // Calls may reach the variant before the request that made it has ended, which looks again
  // whether the fact holds: what it finds then is no replugging.
  ASSERT_TRUE(comes_true([&] {
    const std::string events = log();
    const std::string wanted = R"("event":"switch")";
    const auto first = events.find(wanted);
    return first != std::string::npos && events.find(wanted, first + 1) != std::string::npos;
  }));
  EXPECT_EQ(fact.figures().unseen, 0U);
  store(3);
  EXPECT_EQ(read([](File *) {}), 0U); // is wrong, and told of when it has returned
  EXPECT_EQ(fact.figures().unseen, 1U);
  EXPECT_FALSE(fact.holds());
  EXPECT_EQ(read([](File *) {}), 3'000U);
  EXPECT_THAT(log(), testing::HasSubstr(R"("event":"fact_changed_unseen","fact":"shared")"));
  EXPECT_THAT(log(), testing::HasSubstr(R"("event":"replug")"));
}

TEST_F(CheckedCalls, FindAStoreWithinACall) {
  sartor::Runtime runtime;
  const auto fact = shared();
  const auto read = runtime.bind<&read_and_call>(&file_, _);
  ASSERT_TRUE(is_folded(read));
  read([](File *file) { __atomic_store_n(&file->shared, 4, __ATOMIC_RELAXED); });
  EXPECT_EQ(fact.figures().unseen, 1U);
  EXPECT_EQ(read([](File *) {}), 4'000U);
}

// All that holds is compared, whatever is called, and by whom.
TEST_F(CheckedCalls, FindAStoreByAFunctionPointer) {
  sartor::Runtime runtime;
  const auto fact = shared();
  const auto bound = runtime.bind<&read_and_call>(&file_, _);
  const auto read = runtime.handler<&read_file>().function();
  ASSERT_TRUE(is_folded(bound));
  store(5);
  std::thread([&] { read(&file_, 0); }).join(); // by a thread that has never called
  EXPECT_EQ(fact.figures().unseen, 1U);
}

TEST_F(CheckedCalls, AreRightWhereWritersPassGuards) {
  sartor::Runtime runtime;
  const auto fact = shared();
  const auto read = runtime.bind<&read_and_call>(&file_, _);
  for (std::uint64_t value = 1; value < 5; ++value) {
    ASSERT_TRUE(is_folded(read));
    {
      const sartor::Write write(fact);
      file_.shared = value;
    }
    EXPECT_EQ(read([](File *) {}), value * 1'000);
  }
  EXPECT_EQ(fact.figures().unseen, 0U);
}

TEST_F(CheckedCalls, FindABrokenPromiseOnce) {
  sartor::Runtime runtime(logged());
  sartor::Invariant promise;
  promise.add_fields(file_, &File::shared);
  const auto read = runtime.bind<&read_and_call>(&file_, _);
  ASSERT_TRUE(is_folded(read));
  EXPECT_THAT(log(), testing::Not(testing::HasSubstr("promise_changed_unseen")));
  store(6);
  read(nullptr);
  read(nullptr);
  const std::string told = log();
  const auto first = told.find("promise_changed_unseen");
  EXPECT_NE(first, std::string::npos);
  EXPECT_EQ(told.find("promise_changed_unseen", first + 1), std::string::npos);
  promise.invalidate();
}

} // namespace
