// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "load/stock/stock_loader.h"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sartor::load {
namespace {

using testing::Contains;
using testing::IsEmpty;

TEST(StockLoader, ListsTheLibrariesOfAProgram) {
  const auto list = list_libraries("/bin/ls");
  ASSERT_TRUE(list) << list.error().text();
  EXPECT_THAT(list->found, Contains("/lib/x86_64-linux-gnu/libc.so.6"));
  EXPECT_THAT(list->found, Contains(stock_loader));
  EXPECT_THAT(list->missing, IsEmpty());
}

TEST(StockLoader, HeedsPreloadedLibraries) {
  setenv("LD_PRELOAD", SUBJECT_PLT, 1);
  const auto list = list_libraries("/bin/ls");
  unsetenv("LD_PRELOAD");
  ASSERT_TRUE(list) << list.error().text();
  ASSERT_FALSE(list->found.empty());
  EXPECT_EQ(list->found.front(), SUBJECT_PLT);
}

TEST(StockLoader, ListsLibrariesThatAreFoundFromTheWorkingDirectory) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(std::filesystem::path(SUBJECT_PLT).parent_path());
  setenv("LD_LIBRARY_PATH", ".", 1);
  const auto list = list_libraries(LOAD_PROGRAM_ALONE);
  unsetenv("LD_LIBRARY_PATH");
  std::filesystem::current_path(before);
  ASSERT_TRUE(list) << list.error().text();
  EXPECT_THAT(list->found, Contains(SUBJECT_PLT));
}

TEST(StockLoader, WhatItDoesNotTakeIsAnErrorThatQuotesIt) {
  const auto list = list_libraries("/nowhere/program");
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().code, ErrorCode::file_error);
  EXPECT_THAT(list.error().message, testing::HasSubstr("/nowhere/program"));
}

} // namespace
} // namespace sartor::load
