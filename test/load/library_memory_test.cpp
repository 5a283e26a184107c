// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/file/library_memory.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "made_elf.h"
#include "paths.h"

namespace sartor::loader {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr std::uint64_t page = 4096;
constexpr MadeSegment code = {0, 2 * page, 2 * page, PF_R | PF_X};

std::optional<LibraryMemory> memory_of(const std::vector<MadeSegment> &segments) {
  const auto file = ElfFile::parse("made up", made_elf(segments));
  EXPECT_TRUE(file) << file.error().text();
  auto memory = LibraryMemory::of(*file);
  return memory ? std::optional(std::move(*memory)) : std::nullopt;
}

TEST(LibraryMemory, IsTheFilesPagesInTheOrderOfAddresses) {
  const auto memory =
      memory_of({code, {0x3000, page, page, PF_R}, {0x4800, 0x900, 0x4000, PF_R | PF_W}});
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->begin, 0U);
  EXPECT_EQ(memory->readonly_end(), 0x4000U);
  EXPECT_EQ(memory->data_begin, 0x4000U);
  EXPECT_THAT(memory->data, SizeIs(0x2000));
  EXPECT_EQ(memory->data_end, 0x9000U);
}

TEST(LibraryMemory, HasWhatStandsInTheFile) {
  const auto file = ElfFile::open(paths::subject_plt());
  ASSERT_TRUE(file);
  auto memory = LibraryMemory::of(*file);
  ASSERT_TRUE(memory);
  for (const Segment &segment : file->segments())
    EXPECT_TRUE(std::ranges::equal(memory->at(segment.address, segment.file_size),
                                   *file->at(segment.address, segment.file_size)));
}

TEST(LibraryMemory, NeedNotBeginAtZeroNorHaveData) {
  const auto memory = memory_of({{0x400000, 2 * page, 2 * page, PF_R | PF_X}});
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->begin, 0x400000U);
  EXPECT_EQ(memory->data_begin, memory->readonly_end());
  EXPECT_EQ(memory->data_end, memory->readonly_end());
  EXPECT_FALSE(memory->is_data(memory->data_begin));
}

TEST(LibraryMemory, GivesOutNothingBeyondItsEnds) {
  auto memory = memory_of({code, {0x3000, page, page, PF_R | PF_W}});
  ASSERT_TRUE(memory);
  EXPECT_THAT(memory->at(0x1ff8, 8), SizeIs(8));
  EXPECT_THAT(memory->at(0x1ff9, 8), IsEmpty());
  EXPECT_THAT(memory->at(0x2000, 1), IsEmpty());
  EXPECT_THAT(memory->at(0x3ff8, 8), SizeIs(8));
  EXPECT_THAT(memory->at(0x3ff8, 9), IsEmpty());
  EXPECT_THAT(memory->at(0x3000, ~std::uint64_t{0}), IsEmpty());
  EXPECT_THAT(memory->at(~std::uint64_t{0}, 2), IsEmpty());
}

TEST(LibraryMemory, TakesThePointerBehindTheLastByteForData) {
  const auto memory = memory_of({code, {0x3000, page, page, PF_R | PF_W}});
  ASSERT_TRUE(memory);
  EXPECT_FALSE(memory->is_data(0x2fff));
  EXPECT_TRUE(memory->is_data(0x3000));
  EXPECT_TRUE(memory->is_data(0x4000));
  EXPECT_FALSE(memory->is_data(0x4001));
}

TEST(LibraryMemory, OfAnOddShapeIsNone) {
  EXPECT_FALSE(memory_of({code, {0x2000, page, page, PF_R | PF_W}, {0x3000, page, page, PF_R}}))
      << "what is not writable behind what is";
  EXPECT_FALSE(memory_of({code, {0x2000, page, page, PF_R | PF_W | PF_X}})) << "data that is code";
  EXPECT_FALSE(memory_of({code, {0x2000, page, 2 * page, PF_R}})) << "zeros that nobody writes";
  EXPECT_FALSE(memory_of({{0, page + 1, page + 1, PF_R}, {0x1800, 16, 16, PF_R | PF_W}}))
      << "a page that is both";
  EXPECT_FALSE(memory_of({{0, page, page, PF_R | PF_W}})) << "only data";
  EXPECT_FALSE(memory_of({{0, 100, 100, PF_R}, {page, page, page, PF_R}}))
      << "headers that are not in memory";
  EXPECT_FALSE(memory_of({code, {0x50000000, page, page, PF_R | PF_W}})) << "a hole of 1 GiB";
  EXPECT_FALSE(memory_of({code, {0x3000, 0, 0x80000000, PF_R | PF_W}})) << "2 GiB of zeros";
  EXPECT_FALSE(memory_of({{0, 2 * page, 2 * page, PF_R, std::uint64_t{1} << 62}}))
      << "an alignment that leaves no room";
  EXPECT_FALSE(memory_of({{~std::uint64_t{0} - 2 * page + 1, page, page + 8, PF_R | PF_W}}))
      << "the end of all addresses";
}

TEST(LibraryMemory, AtTheEndOfAllAddressesIsNone) {
  EXPECT_FALSE(memory_of({{~std::uint64_t{0} - page + 1, page - 1, page - 1, PF_R}}));
}

} // namespace
} // namespace sartor::loader
