// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the memory that variants take with the statistics.
#include <algorithm>
#include <fstream>
#include <string>

#include <malloc.h>

#include <gtest/gtest.h>

#include <sartor/sartor.hpp>

#include "comes_true.h"
#include "handlers/arithmetic.h"

namespace {

/// The private memory of this process without files, and the number of its mappings.
struct Memory {
  std::int64_t bytes = 0;
  std::int64_t mappings = 0;

  static Memory now() {
    malloc_trim(0);
    Memory all;
    std::int64_t anonymous = 0;
    std::ifstream smaps("/proc/self/smaps");
    for (std::string word; smaps >> word;) {
      if (word == "Anonymous:" && smaps >> anonymous)
        all.bytes += anonymous * 1024;
      all.mappings += word == "Rss:" ? 1 : 0;
    }
    return all;
  }
};

bool is_sanitized() {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return true;
#endif
#endif
  return false;
}

TEST(MemoryOfVariants, IsWhatStatisticsSay) {
  if (is_sanitized())
    GTEST_SKIP() << "the sanitizer's own memory grows along";
  // The memory of freed blocks that other arenas keep depends on how threads take turns.
  mallopt(M_ARENA_MAX, 1);
  // By then, memory that LLVM keeps permanently is allocated; memory that it keeps for some
  // variants is freed after each 32.
  constexpr std::uint64_t kSettled = 224;
  constexpr std::uint64_t kVariants = 1024;
  sartor::Options options;
  options.quick_tier = false;
  sartor::Runtime runtime(options);
  for (std::uint64_t count = 1; count <= kSettled; ++count)
    runtime.prepare({{"count", count}}).get();
  const Memory before = Memory::now();
  const sartor::Statistics then = runtime.statistics();
  for (std::uint64_t count = 1; count <= kVariants; ++count)
    runtime.prepare({{"count", kSettled + count}}).get();
  const Memory after = Memory::now();
  const sartor::Statistics now = runtime.statistics();

  const auto variants = static_cast<std::int64_t>(now.variants - then.variants);
  ASSERT_EQ(variants, kVariants);
  const auto said = static_cast<std::int64_t>(now.resident_bytes - then.resident_bytes);
  const std::int64_t taken = after.bytes - before.bytes;
  RecordProperty("taken_per_variant", std::to_string(taken / variants));
  RecordProperty("said_per_variant", std::to_string(said / variants));
  EXPECT_LE(taken, said * 4 / 3) << taken / variants << " bytes each, not " << said / variants;
  EXPECT_GE(taken, said / 2) << taken / variants << " bytes each, not " << said / variants;
  EXPECT_LE(after.mappings - before.mappings, variants / 10);
}

TEST(MemoryOfVariants, IsWhatTheCodeCacheCounts) {
  sartor::Options options;
  options.quick_tier = false;
  std::size_t each = 0;
  {
    sartor::Runtime runtime(options);
    each = runtime.prepare({{"count", 1}}).get().back().resident_bytes;
    for (const auto &info : runtime.prepare({{"count", 1}}).get())
      each = std::max(each, info.resident_bytes);
  }
  EXPECT_LE(each, 4096U) << "pieces of code share pages";
  options.code_cache_bytes = 5 * each + each / 2;
  sartor::Runtime runtime(options);
  for (std::uint64_t count = 1; count <= 20; ++count)
    runtime.specialize({{"count", count}});
  EXPECT_TRUE(comes_true([&] { return runtime.statistics().variants <= 6; }))
      << runtime.statistics().variants;
  EXPECT_LE(runtime.statistics().resident_bytes, options.code_cache_bytes + each);
}

} // namespace
