// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/extent_index.h"

#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace sartor::runtime {
namespace {

using core::Extent;

std::set<std::uint64_t> containing(const ExtentIndex &index, std::uintptr_t address) {
  std::set<std::uint64_t> found;
  index.for_each_containing(address, [&](std::uint64_t number) { found.insert(number); });
  return found;
}

TEST(ExtentIndexTest, FindsWhatASearchOfAllFinds) {
  std::mt19937 random(1);
  ExtentIndex index;
  std::vector<Extent> extents;
  for (std::uint64_t number = 0; number < 400; ++number) {
    const std::uintptr_t start = 0x1000 + random() % 5000;
    const std::uintptr_t size = 1 + random() % (number % 10 == 0 ? 4000 : 40);
    extents.push_back({start, start + size});
    index.add(extents.back(), number);
  }
  for (std::uint64_t number = 0; number < 400; number += 3) {
    index.remove(extents[number], number);
    extents[number] = {0, 0};
  }
  for (std::uintptr_t address = 0xf00; address < 0x1000 + 9100; ++address) {
    std::set<std::uint64_t> expected;
    for (std::uint64_t number = 0; number < 400; ++number)
      if (address >= extents[number].address && address < extents[number].end)
        expected.insert(number);
    ASSERT_EQ(containing(index, address), expected) << address;
    const Extent memory{address, address + 1 + random() % 50};
    std::set<std::uint64_t> hit;
    for (std::uint64_t number = 0; number < 400; ++number)
      if (memory.address < extents[number].end && extents[number].address < memory.end)
        hit.insert(number);
    std::set<std::uint64_t> overlapping;
    index.for_each_overlapping(memory, [&](std::uint64_t number) { overlapping.insert(number); });
    ASSERT_EQ(overlapping, hit) << address;
  }
}

TEST(ExtentIndexTest, HoldsTheWholeAddressSpace) {
  ExtentIndex index;
  index.add({1, UINTPTR_MAX}, 7);
  EXPECT_EQ(containing(index, UINTPTR_MAX - 1), std::set<std::uint64_t>{7});
  EXPECT_TRUE(containing(index, 0).empty());
  EXPECT_TRUE(containing(index, UINTPTR_MAX).empty());
}

} // namespace
} // namespace sartor::runtime
