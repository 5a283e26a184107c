// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "front/stack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string_view>
#include <vector>

#include <elf.h>

namespace sartor::front {

/// Same as the front's function, which is not linked in because the front has a C library of its
/// own.
const char *after(const char *text, const char *prefix);
const char *after(const char *text, const char *prefix) {
  return std::string_view(text).starts_with(prefix) ? text + std::string_view(prefix).size()
                                                    : nullptr;
}

namespace {

using testing::ElementsAre;
using testing::StrEq;

/// A stack as the kernel makes it, with room below.
class StackTest : public testing::Test {
protected:
  static std::uint64_t word(const char *text) { return reinterpret_cast<std::uint64_t>(text); }
  static std::vector<std::string> texts(char **at) {
    std::vector<std::string> result;
    for (; *at != nullptr; ++at)
      result.emplace_back(*at);
    return result;
  }

  std::vector<std::uint64_t> words_ = {0,
                                       0,
                                       0,
                                       0,
                                       3,
                                       word("sartor-ld"),
                                       word("program"),
                                       word("argument"),
                                       0,
                                       word("HOME=/root"),
                                       word("HOMER=poet"),
                                       0,
                                       AT_PAGESZ,
                                       4096,
                                       AT_ENTRY,
                                       0x1000,
                                       AT_NULL,
                                       0};
  Stack stack_{words_.data() + 4};
};

TEST_F(StackTest, ReportsArgumentsEnvironmentAndWhatTheKernelReports) {
  EXPECT_THAT(texts(stack_.arguments()), ElementsAre("sartor-ld", "program", "argument"));
  EXPECT_THAT(texts(stack_.environment()), ElementsAre("HOME=/root", "HOMER=poet"));
  EXPECT_THAT(stack_.variable("HOME"), StrEq("/root"));
  EXPECT_THAT(stack_.variable("HOMER"), StrEq("poet"));
  EXPECT_EQ(stack_.variable("HO"), nullptr);
  EXPECT_EQ(stack_.reported(AT_PAGESZ), 4096U);
  EXPECT_EQ(stack_.reported(AT_BASE), 0U);
  EXPECT_EQ(stack_.size_of_reported(), 48U);
}

TEST_F(StackTest, ReportsAnotherEntry) {
  stack_.report(AT_ENTRY, 0x2000);
  EXPECT_EQ(stack_.reported(AT_ENTRY), 0x2000U);
  EXPECT_EQ(stack_.reported(AT_PAGESZ), 4096U);
}

TEST_F(StackTest, ForgetsTheFirstArguments) {
  const std::uint64_t *top = stack_.top();
  stack_.drop_arguments(1);
  EXPECT_EQ(stack_.top(), top);
  EXPECT_THAT(texts(stack_.arguments()), ElementsAre("program", "argument"));
  EXPECT_THAT(texts(stack_.environment()), ElementsAre("HOME=/root", "HOMER=poet"));
  EXPECT_EQ(stack_.reported(AT_ENTRY), 0x1000U);
}

TEST_F(StackTest, AddsAVariable) {
  const std::uint64_t *top = stack_.top();
  stack_.set_variable("HOM=e");
  EXPECT_EQ(stack_.top(), top - 2) << "as the ABI aligns it";
  EXPECT_THAT(texts(stack_.arguments()), ElementsAre("sartor-ld", "program", "argument"));
  EXPECT_THAT(texts(stack_.environment()), ElementsAre("HOME=/root", "HOMER=poet", "HOM=e"));
  EXPECT_EQ(stack_.reported(AT_ENTRY), 0x1000U);
  EXPECT_EQ(stack_.reported(AT_PAGESZ), 4096U);
}

TEST_F(StackTest, SetsAVariableWhateverItWas) {
  const std::uint64_t *top = stack_.top();
  stack_.set_variable("HOME=/elsewhere");
  EXPECT_EQ(stack_.top(), top);
  EXPECT_THAT(texts(stack_.environment()), ElementsAre("HOME=/elsewhere", "HOMER=poet"));
  stack_.set_variable("HOM=e");
  EXPECT_THAT(texts(stack_.environment()), ElementsAre("HOME=/elsewhere", "HOMER=poet", "HOM=e"));
  EXPECT_EQ(stack_.reported(AT_ENTRY), 0x1000U);
}

TEST_F(StackTest, SetsAllValuesOfAVariable) {
  stack_.environment()[1] = const_cast<char *>("HOME=/home");
  stack_.set_variable("HOME=/elsewhere");
  EXPECT_THAT(texts(stack_.environment()), ElementsAre("HOME=/elsewhere", "HOME=/elsewhere"));
}

TEST_F(StackTest, AddsVariablesBehindForgottenArguments) {
  stack_.drop_arguments(2);
  stack_.set_variable("ONE=1");
  stack_.set_variable("TWO=2");
  EXPECT_THAT(texts(stack_.arguments()), ElementsAre("argument"));
  EXPECT_THAT(texts(stack_.environment()),
              ElementsAre("HOME=/root", "HOMER=poet", "ONE=1", "TWO=2"));
  EXPECT_EQ(stack_.reported(AT_ENTRY), 0x1000U);
}

} // namespace
} // namespace sartor::front
