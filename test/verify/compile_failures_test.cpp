// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/quarantine/compile_failures.h"

#include <filesystem>

#include <gmock/gmock.h>

#include "state_for_test.h"

namespace sartor {
namespace {

using core::CompileFailures;
using core::CompileRequest;
using core::Tier;
using testing::HasSubstr;

constexpr std::int64_t kMinute = 60;
constexpr std::int64_t kDay = std::int64_t{24} * 60 * kMinute;

class FailedCompiles : public test::StateForTest {
protected:
  /// As a process has it that starts now.
  [[nodiscard]] CompileFailures failures(const std::string &limits = "30 s") const {
    return CompileFailures(state(), limits, [this] { return now_; });
  }
  static CompileRequest request(const std::string &name, Tier tier = Tier::full) {
    return {test::key_named(name), tier, name + "{B=16}", ""};
  }

  std::int64_t now_ = 1'000'000;
};

TEST_F(FailedCompiles, AreNotRepeatedForAWhile) {
  auto here = failures();
  EXPECT_FALSE(here.refusal(request("blend")));
  ASSERT_TRUE(here.add(request("blend"), ErrorCode::compile_timeout));
  now_ += 9 * kMinute;
  const auto refused = here.refusal(request("blend"));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->code, ErrorCode::compile_timeout);
  EXPECT_EQ(refused->subject, "blend{B=16}");
  EXPECT_THAT(refused->message, HasSubstr("took too long"));
  EXPECT_THAT(refused->remedy, HasSubstr("Options::compile_timeout"));
  EXPECT_FALSE(here.refusal(request("other")));
  EXPECT_FALSE(here.refusal(request("blend", Tier::quick)));
  now_ += kMinute;
  EXPECT_FALSE(here.refusal(request("blend")));
}

TEST_F(FailedCompiles, AreKnownAfterARestart) {
  ASSERT_TRUE(failures().add(request("blend"), ErrorCode::compile_memory));
  const auto refused = failures().refusal(request("blend"));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->code, ErrorCode::compile_memory);
  EXPECT_FALSE(failures("60 s").refusal(request("blend")));
  now_ += 10 * kMinute;
  EXPECT_FALSE(failures().refusal(request("blend")));
}

TEST_F(FailedCompiles, AreRepeatedLessAndLessOften) {
  auto here = failures();
  for (std::int64_t pause = 10 * kMinute; pause < kDay; pause *= 2) {
    ASSERT_TRUE(here.add(request("blend"), ErrorCode::compile_timeout));
    now_ += pause - 1;
    EXPECT_TRUE(here.refusal(request("blend")));
    now_ += 1;
    EXPECT_FALSE(here.refusal(request("blend")));
  }
  ASSERT_TRUE(here.add(request("blend"), ErrorCode::compile_timeout));
  now_ += kDay;
  EXPECT_FALSE(here.refusal(request("blend")));
}

TEST_F(FailedCompiles, OfOtherReasonsAreNotRecorded) {
  auto here = failures();
  ASSERT_TRUE(here.add(request("blend"), ErrorCode::compile_failed));
  ASSERT_TRUE(here.add(request("blend"), ErrorCode::compiler_lost));
  EXPECT_FALSE(here.refusal(request("blend")));
  EXPECT_FALSE(std::filesystem::exists(state()));
}

TEST_F(FailedCompiles, ThatCannotBeStoppedRefuseTheHandler) {
  auto here = failures();
  CompileRequest other = request("blend");
  other.key.hash = base::hash_of({"another configuration"});
  here.add_hung(request("blend"));
  const auto refused = here.refusal(other);
  ASSERT_TRUE(refused);
  EXPECT_THAT(refused->message, HasSubstr("its handler"));
  other.passes = "default<O1>";
  EXPECT_FALSE(here.refusal(other));
}

TEST_F(FailedCompiles, OfAHandlerDoNotProlongThoseOfARequest) {
  auto here = failures();
  for (int i = 0; i < 3; ++i)
    here.add_hung(request("blend"));
  now_ += 40 * kMinute;
  EXPECT_FALSE(here.refusal(request("blend")));
  ASSERT_TRUE(failures().add(request("blend"), ErrorCode::compile_timeout)); // another process
  now_ += 10 * kMinute;
  EXPECT_FALSE(here.refusal(request("blend")));
}

TEST_F(FailedCompiles, AreKnownAfterTheClockWasSetBack) {
  ASSERT_TRUE(failures().add(request("blend"), ErrorCode::compile_timeout));
  now_ -= kDay / 2;
  auto here = failures();
  EXPECT_FALSE(here.refusal(request("blend")));
  ASSERT_TRUE(here.add(request("blend"), ErrorCode::compile_timeout));
  EXPECT_TRUE(here.refusal(request("blend")));
}

TEST_F(FailedCompiles, AreKnownWithoutADirectory) {
  CompileFailures here({}, "30 s");
  ASSERT_TRUE(here.add(request("blend"), ErrorCode::compile_timeout));
  EXPECT_TRUE(here.refusal(request("blend")));
}

} // namespace
} // namespace sartor
