// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/checked_copy.h"

#include <cstring>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace sartor::runtime {
namespace {

std::uintptr_t address_of(const void *memory) { return reinterpret_cast<std::uintptr_t>(memory); }

TEST(CheckedCopyTest, CopiesMemoryOfThisProcess) {
  const std::string text(3'000'000, 'x');
  auto copied = checked_copy(address_of(text.data()), text.size());
  ASSERT_TRUE(copied);
  EXPECT_EQ(*copied, text);
}

TEST(CheckedCopyTest, FailsWhereNothingIsMapped) {
  auto copied = checked_copy(8, 16);
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().code, ErrorCode::unreadable_memory);
}

TEST(CheckedCopyTest, FailsWhereMemoryEndsWithinTheRangeAndSaysWhere) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto *memory = static_cast<char *>(
      mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  std::memset(memory, 1, 2 * page);
  ASSERT_EQ(munmap(memory + page, page), 0);
  EXPECT_TRUE(checked_copy(address_of(memory), page));
  auto copied = checked_copy(address_of(memory) + page - 4, 8);
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().code, ErrorCode::unreadable_memory);
  munmap(memory, page);
}

TEST(CheckedCopyTest, FailsWhereMemoryMayNotBeRead) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void *memory = mmap(nullptr, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  EXPECT_FALSE(checked_copy(address_of(memory), 1));
  munmap(memory, page);
}

TEST(CheckedCopyTest, FailsForARangePastTheEndOfMemory) {
  EXPECT_FALSE(checked_copy(4096, ~std::size_t{0}));
}

TEST(CheckedCopyTest, FailsForAnAbsurdSizeWithoutAskingForThatMuchMemory) {
  int here = 0;
  EXPECT_FALSE(checked_copy(address_of(&here), std::size_t{1} << 46U));
}

TEST(CheckedCopyTest, CopiesManyPiecesAndReportsWhichCannotBeRead) {
  const std::string text(20'000, 'y');
  std::vector<std::pair<std::uintptr_t, std::size_t>> pieces;
  for (std::size_t i = 0; i < 3000; ++i)
    pieces.emplace_back(address_of(text.data()) + i, 1 + i % 7);
  pieces[1500] = {8, 16};
  pieces[1501] = {address_of(text.data()), text.size()};
  const auto copies = checked_copies(pieces);
  ASSERT_EQ(copies.size(), pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    ASSERT_EQ(copies[i].has_value(), i != 1500) << i;
    if (copies[i])
      EXPECT_EQ(*copies[i], std::string(pieces[i].second, 'y'));
  }
  EXPECT_EQ(copies[1500].error().code, ErrorCode::unreadable_memory);
}

} // namespace
} // namespace sartor::runtime
