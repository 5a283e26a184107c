// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/codemem/arena.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include <sys/mman.h>

#include <gtest/gtest.h>

#include "runtime/codemem/near.h"

namespace sartor::runtime {
namespace {

const char here = 0;

std::size_t resident_pages(const std::byte *begin, std::size_t bytes) {
  std::vector<unsigned char> pages(in_pages(bytes) / page_size());
  EXPECT_EQ(mincore(const_cast<std::byte *>(begin), bytes, pages.data()), 0);
  std::size_t resident = 0;
  for (const unsigned char page : pages)
    resident += page & 1U;
  return resident;
}

TEST(ArenaTest, RunsWhatIsWritten) {
  Arena arena(&here);
  Arena::Piece piece = arena.take(100, 16);
  std::memset(piece.writable(), 0x5a, 100);
  ASSERT_TRUE(piece.seal());
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(piece.code()[i], std::byte{0x5a});
}

TEST(ArenaTest, PiecesShareAPage) {
  Arena arena(&here);
  const Arena::Piece one = arena.take(100, 16);
  const Arena::Piece other = arena.take(100, 16);
  const auto page = [](const Arena::Piece &piece) {
    return reinterpret_cast<std::uintptr_t>(piece.code()) / page_size();
  };
  EXPECT_EQ(page(one), page(other));
  EXPECT_NE(one.code(), other.code());
}

TEST(ArenaTest, AlignsWhatMustBe) {
  Arena arena(&here);
  const Arena::Piece odd = arena.take(1, 1);
  for (const std::size_t alignment : {1, 64, 256, 4096}) {
    const Arena::Piece piece = arena.take(10, alignment);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(piece.code()) % alignment, 0U);
  }
}

TEST(ArenaTest, MakesRoomForWhatIsLargerThanAnArea) {
  Arena arena(&here);
  const std::size_t bytes = 5U << 20;
  Arena::Piece piece = arena.take(bytes, 64);
  std::memset(piece.writable(), 1, bytes);
  ASSERT_TRUE(piece.seal());
  EXPECT_EQ(piece.code()[bytes - 1], std::byte{1});
}

TEST(ArenaTest, ReleasesPagesThatNobodyUses) {
  Arena arena(&here);
  Arena::Piece first = arena.take(64, 64);
  std::memset(first.writable(), 1, 64);
  ASSERT_TRUE(first.seal());
  const std::size_t bytes = 64 * page_size();
  std::optional<Arena::Piece> large(arena.take(bytes, page_size()));
  const std::byte *code = large->code();
  std::memset(large->writable(), 1, bytes);
  ASSERT_TRUE(large->seal());
  EXPECT_EQ(resident_pages(code, bytes), bytes / page_size());
  large.reset();
  EXPECT_EQ(resident_pages(code, bytes), 0U);
  EXPECT_EQ(first.code()[0], std::byte{1});
}

TEST(ArenaTest, ReleasedCodeIsOverwrittenWhenTheNextPieceIsTaken) {
  Arena arena(&here);
  std::vector<Arena::Piece> pieces;
  for (int i = 0; i < 4; ++i) {
    pieces.push_back(arena.take(64, 64));
    std::memset(pieces.back().writable(), i + 1, 64);
    ASSERT_TRUE(pieces.back().seal());
  }
  std::array<const std::byte *, 4> code{};
  for (std::size_t i = 0; i < code.size(); ++i)
    code[i] = pieces[i].code();
  std::optional<Arena::Piece> kept(std::move(pieces[0]));
  std::optional<Arena::Piece> released(std::move(pieces[1]));
  std::optional<Arena::Piece> also_kept(std::move(pieces[2]));
  released.reset();
  const Arena::Piece next = arena.take(128, 64); // too large for the free part
  EXPECT_EQ(code[0][0], std::byte{1});
  for (int at = 0; at < 64; ++at)
    EXPECT_EQ(code[1][at], std::byte{0xcc});
  EXPECT_EQ(code[2][0], std::byte{3});
  EXPECT_EQ(code[3][0], std::byte{4});
}

TEST(ArenaTest, PiecesNeverOverlapWhateverComesAndGoes) {
  struct Kept {
    Arena::Piece piece;
    std::size_t bytes;
    std::byte mark;
  };
  Arena arena(&here);
  std::mt19937 random(7);
  std::vector<Kept> kept;
  for (int i = 0; i < 4000; ++i) {
    if (kept.size() > 40 || (!kept.empty() && random() % 3 == 0)) {
      const std::size_t gone = random() % kept.size();
      for (std::size_t at = 0; at < kept[gone].bytes; ++at)
        ASSERT_EQ(kept[gone].piece.code()[at], kept[gone].mark);
      std::vector<Kept> rest;
      for (std::size_t j = 0; j < kept.size(); ++j)
        if (j != gone)
          rest.push_back(std::move(kept[j]));
      kept = std::move(rest);
    } else {
      const std::size_t bytes = 1 + random() % 20'000;
      const std::size_t alignment = std::size_t{1} << (random() % 13);
      kept.push_back({arena.take(bytes, alignment), bytes, static_cast<std::byte>(i)});
      std::memset(kept.back().piece.writable(), i & 0xff, bytes);
      ASSERT_TRUE(kept.back().piece.seal());
    }
  }
}

// As for a program at a low address, whose heap begins right behind it.
TEST(ArenaTest, MemoryIsWithinReachAboveTheProgramWhereThereIsNoneBelow) {
  constexpr std::size_t kTaken = 0x6000'0000; // all that is within reach below
  constexpr std::size_t kFree = 0x1'0000'0000;
  void *whole =
      mmap(nullptr, kTaken + kFree, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(whole, MAP_FAILED);
  auto *const program = static_cast<std::byte *>(whole) + kTaken;
  ASSERT_EQ(munmap(program, kFree), 0);
  // A function is anywhere in a page.
  void *memory = map_near(program - page_size() + 123, page_size(), PROT_READ | PROT_WRITE);
  ASSERT_NE(memory, nullptr);
  EXPECT_GT(memory, program);
  EXPECT_LT(static_cast<std::byte *>(memory) - program, 1LL << 31U);
  munmap(memory, page_size());
  munmap(whole, kTaken);
}

TEST(ArenaTest, APrivateAreaIsWrittenByTheSystem) {
  const Area area = Area::map_private(&here, page_size());
  if (!area.code())
    GTEST_SKIP() << "the system does not write to this process's memory (/proc/self/mem)";
  EXPECT_TRUE(area.is_private());
  constexpr std::byte kReturn{0xc3};
  ASSERT_TRUE(area.write(64, &kReturn, 1));
  reinterpret_cast<void (*)()>(area.code() + 64)();
  area.empty(0, page_size());
  EXPECT_EQ(area.code()[64], std::byte{0});
}

// Where the system does not write to private areas.
TEST(ArenaTest, AnAreaThatIsMappedTwiceShowsInOneViewWhatIsWrittenInTheOther) {
  const Area area = Area::map_twice(&here, page_size());
  ASSERT_NE(area.code(), nullptr);
  EXPECT_TRUE(area.is_mapped_twice());
  area.writable()[64] = std::byte{0xc3};
  reinterpret_cast<void (*)()>(area.code() + 64)();
  area.empty(0, page_size());
  EXPECT_EQ(area.code()[64], std::byte{0});
}

TEST(ArenaTest, AnAreaThatIsMappedOnceIsSealed) {
  const Area area = Area::map_once(&here, page_size());
  ASSERT_NE(area.code(), nullptr);
  EXPECT_EQ(area.code(), area.writable());
  area.writable()[0] = std::byte{0xc3}; // ret
  ASSERT_TRUE(area.seal());
  reinterpret_cast<void (*)()>(area.code())();
}

} // namespace
} // namespace sartor::runtime
