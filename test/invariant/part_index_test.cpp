// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/part_index.h"

#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace sartor::runtime {
namespace {

using core::Extent;

constexpr std::uintptr_t kBegin = 0x10000;

class PartIndexTest : public testing::Test {
protected:
  void add(Extent part) {
    index.add(part, parts.size());
    parts.push_back(part);
  }
  void remove(std::size_t number) {
    index.remove(parts[number], number);
    parts[number] = {0, 0};
  }
  [[nodiscard]] std::set<std::uint64_t> found(Extent memory) const {
    std::set<std::uint64_t> numbers;
    index.for_each_overlapping(memory, [&](std::uint64_t number) { numbers.insert(number); });
    return numbers;
  }
  [[nodiscard]] std::set<std::uint64_t> expected(Extent memory) const {
    std::set<std::uint64_t> numbers;
    for (std::uint64_t number = 0; number < parts.size(); ++number)
      if (parts[number].address < memory.end && memory.address < parts[number].end)
        numbers.insert(number);
    return numbers;
  }

  PartIndex index;
  std::vector<Extent> parts;
};

TEST_F(PartIndexTest, FindsWhatASearchOfAllFinds) {
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    const std::uintptr_t start = kBegin + random() % 20000;
    add({start, start + 1 + random() % (i % 30 == 0 ? 4000 : 40)});
  }
  for (std::size_t number = 0; number < 300; number += 3)
    remove(number);
  for (int i = 0; i < 20000; ++i) {
    const std::uintptr_t start = kBegin + random() % 25000;
    const Extent memory{start, start + 1 + random() % (i % 100 == 0 ? 100000 : 16)};
    ASSERT_EQ(found(memory), expected(memory)) << memory.address << " to " << memory.end;
    ASSERT_TRUE(index.may_concern(memory) || expected(memory).empty());
  }
}

TEST_F(PartIndexTest, KnowsALineWithoutParts) {
  add({kBegin, kBegin + 8});
  EXPECT_TRUE(index.may_concern({kBegin + 4, kBegin + 5}));
  EXPECT_FALSE(index.may_concern({kBegin + 64, kBegin + 72}));
  remove(0);
  EXPECT_FALSE(index.may_concern({kBegin, kBegin + 8}));
}

TEST_F(PartIndexTest, KnowsNothingOfLinesBesideALargePart) {
  add({kBegin, kBegin + 100000});
  EXPECT_TRUE(index.may_concern({kBegin - 64, kBegin - 60}));
  EXPECT_TRUE(found({kBegin - 64, kBegin - 60}).empty());
  remove(0);
  EXPECT_FALSE(index.may_concern({kBegin, kBegin + 8}));
}

TEST_F(PartIndexTest, FindsAllUnderAStoreThatIsLargerThanWhatThereIs) {
  add({kBegin, kBegin + 8});
  add({kBegin + 1000, kBegin + 1008});
  EXPECT_EQ(found({0, UINTPTR_MAX}), (std::set<std::uint64_t>{0, 1}));
}

} // namespace
} // namespace sartor::runtime
