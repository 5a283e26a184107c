// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "maglev.h"

namespace nf {
namespace {

constexpr std::uint16_t kNone = 0xffff;

std::vector<MaglevEntry> back_ends(std::uint16_t count) {
  std::vector<MaglevEntry> all;
  for (std::uint16_t i = 0; i < count; ++i)
    all.push_back({0x0a000001U + i, i});
  return all;
}

TEST(Maglev, GivesAllAsMany) {
  for (const std::uint32_t size : {251U, 65'537U})
    for (const std::uint16_t count : {std::uint16_t{1}, std::uint16_t{7}, std::uint16_t{100}}) {
      std::map<std::uint16_t, std::uint32_t> entries;
      for (const std::uint16_t one : maglev_table(back_ends(count), size, kNone))
        ++entries[one];
      ASSERT_EQ(entries.size(), count);
      for (const auto &[number, of_it] : entries)
        EXPECT_TRUE(of_it == size / count || of_it == size / count + 1) << number;
    }
}

/// The number of entries that change, without those of the removed back end.
std::size_t disrupted(std::uint32_t size, std::uint16_t count, std::uint16_t gone) {
  std::vector<MaglevEntry> fewer = back_ends(count);
  fewer.erase(fewer.begin() + gone);
  const auto before = maglev_table(back_ends(count), size, kNone);
  const auto after = maglev_table(fewer, size, kNone);
  std::size_t changed = 0;
  for (std::size_t i = 0; i < size; ++i)
    changed += before[i] != gone && before[i] != after[i];
  return changed;
}

// The paper measures some percent for tables like these; consistent hashing would move no entry,
// and hashing by the number of back ends nearly all.
TEST(Maglev, MovesFewOthersWhenOneIsGone) {
  for (const std::uint16_t gone : {std::uint16_t{0}, std::uint16_t{13}, std::uint16_t{99}})
    EXPECT_LT(disrupted(65'537, 100, gone), 65'537U / 50);
  EXPECT_LT(disrupted(251, 5, 2), 251U / 3);
}

TEST(Maglev, LeavesATableOfNobodyEmpty) {
  EXPECT_EQ(maglev_table({}, 3, kNone), (std::vector<std::uint16_t>(3, kNone)));
  EXPECT_EQ(maglev_table(back_ends(1), 2, kNone), (std::vector<std::uint16_t>(2, 0)));
}

} // namespace
} // namespace nf
