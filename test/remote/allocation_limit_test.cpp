// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/server/compilers/allocation_limit.h"

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace sartor::remote {
namespace {

constexpr std::uint64_t kMuch = std::uint64_t{1} << 30;
constexpr std::size_t kBlock = std::size_t{1} << 20;
constexpr int kStatus = 7;

void end() { _exit(kStatus); }

/// Keeps the compiler from leaving out an allocation.
void use(void *memory) { asm volatile("" : : "r"(memory) : "memory"); }

using Block = std::unique_ptr<void, void (*)(void *)>;

/// Each way to allocate `bytes`.
const std::vector<void *(*)(std::size_t bytes)> kWays{
    [](std::size_t bytes) { return std::malloc(bytes); },
    [](std::size_t bytes) { return std::calloc(1, bytes); },
    [](std::size_t bytes) { return std::realloc(std::malloc(8), bytes); },
    [](std::size_t bytes) { return std::aligned_alloc(64, bytes); },
    [](std::size_t bytes) {
      void *memory = nullptr;
      return posix_memalign(&memory, 64, bytes) == 0 ? memory : nullptr;
    },
};

TEST(AllocationLimit, CountsAllocationsAndWhatIsFreed) {
  for (const auto &allocate : kWays) {
    const AllocationLimit limit(kMuch, end);
    const std::uint64_t before = limit.left();
    {
      const Block block(allocate(kBlock), std::free);
      use(block.get());
      EXPECT_LE(limit.left(), before - kBlock);
      EXPECT_GE(limit.left(), before - kBlock - kBlock / 4);
    }
    EXPECT_EQ(limit.left(), before);
  }
}

TEST(AllocationLimit, CountsObjects) {
  const AllocationLimit limit(kMuch, end);
  const std::uint64_t before = limit.left();
  std::string text(kBlock, 'x');
  use(text.data());
  EXPECT_LE(limit.left(), before - kBlock);
}

TEST(AllocationLimit, CountsThisThreadAlone) {
  const AllocationLimit limit(kMuch, end);
  std::uint64_t before = 0;
  std::thread other;
  {
    std::vector<Block> blocks;
    other = std::thread([&blocks] {
      for (const auto &allocate : kWays)
        blocks.emplace_back(allocate(kBlock), std::free);
    });
    before = limit.left();
    other.join();
    EXPECT_GE(limit.left(), before);
  }
}

TEST(AllocationLimitDeathTest, EndsWhatExceedsIt) {
  for (const auto &allocate : kWays)
    EXPECT_EXIT(
        {
          const AllocationLimit limit(kBlock, end);
          use(allocate(2 * kBlock));
        },
        testing::ExitedWithCode(kStatus), "");
  EXPECT_EXIT(
      {
        const AllocationLimit limit(kBlock, end);
        for (;;)
          use(std::malloc(100));
      },
      testing::ExitedWithCode(kStatus), "");
}

TEST(AllocationLimit, EndsWithTheObject) {
  {
    const AllocationLimit limit(kBlock, end);
  }
  const Block block(std::malloc(2 * kBlock), std::free);
  EXPECT_TRUE(block);
}

TEST(AllocationLimit, LeavesImpossibleSizesToTheLibrary) {
  const AllocationLimit limit(kBlock, end);
  volatile std::size_t all = ~std::size_t{0};
  for (const auto &allocate : kWays)
    EXPECT_FALSE(allocate(all));
  void *const product = std::calloc(all, 2);
  use(product);
  EXPECT_FALSE(product);
}

} // namespace
} // namespace sartor::remote
