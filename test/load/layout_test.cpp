// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/image/layout.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loader/lib/format/image_format.h"
#include "made_elf.h"

namespace sartor::loader {
namespace {

using format::huge_page;
using format::page;

constexpr std::size_t loader = 1;

Library library_of(const std::vector<MadeSegment> &segments, std::uint16_t type = ET_DYN) {
  auto file = ElfFile::parse("made up", made_elf(segments, type));
  EXPECT_TRUE(file) << file.error().text();
  auto memory = LibraryMemory::of(*file);
  EXPECT_TRUE(memory) << memory.error();
  return Library{.path = "/made/up",
                 .file = std::move(*file),
                 .code = {},
                 .identity = {},
                 .memory = std::move(*memory)};
}

/// Segments with the given numbers of pages of code and data.
std::vector<MadeSegment> segments_of(std::uint64_t code, std::uint64_t data,
                                     std::uint64_t begin = 0, std::uint64_t alignment = page) {
  return {{begin, code * page, code * page, PF_R | PF_X, alignment},
          {begin + code * page, page, data * page, PF_R | PF_W, alignment}};
}

PrelinkImage image_of_libraries(std::vector<MadeSegment> program, std::uint16_t type = ET_DYN) {
  PrelinkImage image;
  image.libraries.push_back(library_of(program, type));
  image.libraries.push_back(library_of(segments_of(50, 3)));
  for (const std::uint64_t size : {500, 20, 1, 301})
    image.libraries.push_back(library_of(segments_of(size, size / 4 + 1)));
  image.changes.libraries.resize(image.libraries.size());
  return image;
}

struct Range {
  std::uint64_t begin, end;
};

/// All ranges in the arena.
std::vector<Range> ranges_of(const PrelinkImage &image, const Layout &layout) {
  std::vector<Range> ranges = {{layout.answers, layout.answers + page},
                               {layout.stubs, layout.stubs + 2 * page}};
  for (std::size_t i = 0; i < image.libraries.size(); ++i) {
    const Place &place = layout.places[i];
    if (!place.is_known || place.is_absolute)
      continue;
    const LibraryMemory &memory = *image.libraries[i].memory;
    ranges.push_back({place.base + memory.begin, place.base + memory.data_end});
    if (place.delta != 0) {
      const std::uint64_t base = place.base + static_cast<std::uint64_t>(place.delta);
      ranges.push_back({base + memory.data_begin, base + memory.data_end});
    }
  }
  std::ranges::sort(ranges, {}, &Range::begin);
  return ranges;
}

void expect_sound(const PrelinkImage &image, const Layout &layout) {
  const auto ranges = ranges_of(image, layout);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    EXPECT_LE(ranges[i].begin, ranges[i].end);
    EXPECT_LE(ranges[i].end, i + 1 < ranges.size() ? ranges[i + 1].begin : layout.size);
    EXPECT_EQ(ranges[i].begin % page, 0U);
  }
  EXPECT_EQ(layout.size % huge_page, 0U);
  EXPECT_LE(layout.size, format::greatest_arena);
  for (const std::size_t i : image.changes.packed) {
    const Place &place = layout.places[i];
    const LibraryMemory &memory = *image.libraries[i].memory;
    EXPECT_GE(place.base + memory.begin, layout.zone_begin);
    EXPECT_LE(place.base + memory.readonly_end(), layout.zone_end);
    const std::uint64_t data =
        place.base + memory.data_begin + static_cast<std::uint64_t>(place.delta);
    EXPECT_GE(data, layout.data_begin);
    EXPECT_LE(data + (memory.data_end - memory.data_begin), layout.data_end);
  }
}

TEST(Layout, KeepsTheAlignmentOfPackedLibraries) {
  PrelinkImage image = image_of_libraries(segments_of(10, 5));
  for (const std::uint64_t alignment : {2 * page, 16 * page, huge_page})
    for (const std::uint64_t begin : {std::uint64_t{0}, 3 * page})
      image.libraries.push_back(library_of(segments_of(20, 3, begin, alignment)));
  image.changes.libraries.resize(image.libraries.size());
  for (const std::uint64_t gap : {0, 1, 5}) {
    image.changes.packed.clear();
    for (std::size_t i = 2; i < image.libraries.size(); ++i) {
      image.changes.packed.push_back(i);
      image.changes.libraries[i].gap = (gap * i % 7) * page;
    }
    const auto layout = lay_out(image, loader, 1);
    ASSERT_TRUE(layout) << layout.error().text();
    expect_sound(image, *layout);
    for (const std::size_t i : image.changes.packed) {
      const std::uint64_t alignment = image.libraries[i].memory->alignment;
      EXPECT_EQ(alignment, image.libraries[i].file.segments().front().alignment);
      EXPECT_EQ(layout->alignment % alignment, 0U);
      EXPECT_EQ(layout->places[i].base % alignment, 0U);
      EXPECT_EQ(static_cast<std::uint64_t>(layout->places[i].delta) % alignment, 0U);
    }
  }
}

TEST(Layout, KeepsTheAlignmentOfLibrariesThatBeginAnywhere) {
  PrelinkImage image = image_of_libraries(segments_of(10, 5));
  image.libraries.push_back(library_of(segments_of(20, 3, 7 * page, 16 * page)));
  image.changes.libraries.resize(image.libraries.size());
  const auto layout = lay_out(image, loader, 1);
  ASSERT_TRUE(layout) << layout.error().text();
  expect_sound(image, *layout);
  EXPECT_EQ(layout->places.back().base % (16 * page), 0U);
}

TEST(Layout, WithoutPackingHasAllBesideEachOther) {
  const PrelinkImage image = image_of_libraries(segments_of(10, 5));
  const auto layout = lay_out(image, loader, 1);
  ASSERT_TRUE(layout) << layout.error().text();
  expect_sound(image, *layout);
  EXPECT_EQ(layout->zone_begin, layout->zone_end);
  EXPECT_EQ(layout->data_begin, layout->data_end);
  EXPECT_EQ(layout->arena, 0U);
  for (const Place &place : layout->places) {
    EXPECT_TRUE(place.is_known);
    EXPECT_EQ(place.delta, 0);
  }
}

/// The owner of an address by the rules of the stock loader.
std::size_t owner_of(const PrelinkImage &image, const Layout &layout, std::uint64_t address) {
  for (std::size_t i = 0; i < image.libraries.size(); ++i) {
    const Place &place = layout.places[i];
    const LibraryMemory &memory = *image.libraries[i].memory;
    if (address >= place.base + memory.begin &&
        address < place.base + memory.data_end + static_cast<std::uint64_t>(place.delta))
      return i;
  }
  return image.libraries.size();
}

TEST(Layout, LeavesNoDoubtWhoseAnAddressIs) {
  PrelinkImage image = image_of_libraries(segments_of(10, 5));
  for (const auto &packed :
       std::vector<std::vector<std::size_t>>{{2, 3, 4, 5}, {2, 4}, {3, 5}, {5}, {}}) {
    image.changes.packed = packed;
    for (std::size_t i = 0; i < image.libraries.size(); ++i)
      image.changes.libraries[i].gap = i % 3 * page;
    const auto layout = lay_out(image, loader, 1);
    ASSERT_TRUE(layout) << layout.error().text();
    expect_sound(image, *layout);
    for (std::size_t i = 0; i < image.libraries.size(); ++i) {
      const Place &place = layout->places[i];
      const LibraryMemory &memory = *image.libraries[i].memory;
      const std::uint64_t data = place.base + static_cast<std::uint64_t>(place.delta);
      EXPECT_EQ(owner_of(image, *layout, place.base + memory.begin), i);
      EXPECT_EQ(owner_of(image, *layout, place.base + memory.readonly_end() - 1), i);
      EXPECT_EQ(owner_of(image, *layout, data + memory.data_begin), i);
      EXPECT_EQ(owner_of(image, *layout, data + memory.data_end - 1), i);
    }
  }
}

TEST(Layout, PacksLibrariesFromTheTopDownInTheirOrder) {
  PrelinkImage image = image_of_libraries(segments_of(10, 5));
  image.changes.packed = {2, 4, 5};
  image.changes.libraries[4].gap = 3 * page;
  const auto layout = lay_out(image, loader, 1);
  ASSERT_TRUE(layout) << layout.error().text();
  expect_sound(image, *layout);
  EXPECT_EQ(layout->zone_end % huge_page, 0U);
  const auto end = [&](std::size_t i) {
    return layout->places[i].base + image.libraries[i].memory->data_end;
  };
  EXPECT_EQ(end(2), layout->places[0].base);
  EXPECT_EQ(end(4) + 3 * page, layout->places[2].base) << "the gap";
  EXPECT_EQ(end(5), layout->places[4].base);
  EXPECT_EQ(layout->places[0].base + image.libraries[0].memory->readonly_end(), layout->zone_end);
  EXPECT_EQ(layout->places[0].delta, 0);
  EXPECT_GE(layout->places[3].base, layout->zone_end);
}

TEST(Layout, HasRoomForProgramsOfAnyAlignment) {
  for (const std::uint64_t alignment : {page, 16 * page, huge_page, 2 * huge_page, 8 * huge_page})
    for (const std::uint64_t begin : {std::uint64_t{0}, page, 7 * page})
      for (const std::uint64_t size : {1U, 511U, 512U, 600U, 1024U, 1030U}) {
        PrelinkImage image = image_of_libraries(segments_of(size, 5, begin, alignment));
        image.changes.packed = {2, 3, 4, 5};
        const auto layout = lay_out(image, loader, 1);
        ASSERT_TRUE(layout) << layout.error().text();
        expect_sound(image, *layout);
        EXPECT_EQ(layout->places[0].base % alignment, 0U);
      }
}

TEST(Layout, LeavesOutAHugePageThatIsMostlyEmpty) {
  PrelinkImage image = image_of_libraries(segments_of(1, 1));
  image.libraries.push_back(library_of(segments_of(512, 1)));
  image.changes.libraries.resize(image.libraries.size());
  image.changes.packed = {6};
  const auto layout = lay_out(image, loader, 1);
  ASSERT_TRUE(layout) << layout.error().text();
  expect_sound(image, *layout);
  EXPECT_EQ(layout->zone_end, 2 * huge_page);
  EXPECT_GT(layout->zone_begin, huge_page / 4 * 3);
}

/// Makes code of one library call another one.
void bind(PrelinkImage &image, std::size_t from, std::size_t to) {
  image.libraries[from].code.sites.push_back({});
  image.libraries[from].targets[0] = {to, page};
  image.changes.libraries[from].direct = {image.libraries[from].code.sites.size() - 1};
}

TEST(Layout, OfAProgramThatLiesInOnePlaceIsWithinItsReach) {
  constexpr std::uint64_t at = 0x400000;
  for (const std::uint64_t random : {std::uint64_t{0}, std::uint64_t{12345}, ~std::uint64_t{0}}) {
    PrelinkImage image = image_of_libraries(segments_of(10, 5, at), ET_EXEC);
    image.changes.packed = {2, 3};
    random % 2 == 0 ? bind(image, 0, 2) : bind(image, 2, 0);
    const auto layout = lay_out(image, loader, random);
    ASSERT_TRUE(layout) << layout.error().text();
    expect_sound(image, *layout);
    EXPECT_TRUE(layout->places[0].is_absolute);
    EXPECT_EQ(layout->places[0].base, 0U);
    EXPECT_GT(layout->arena, image.libraries[0].memory->data_end);
    EXPECT_EQ(layout->arena % huge_page, 0U);
    EXPECT_LT(layout->arena + layout->size, format::greatest_arena);
    EXPECT_EQ(layout->address_of(image, {0, at + 1}), at + 1 - layout->arena);
  }
}

TEST(Layout, OfAProgramThatLiesInOnePlaceIsAnywhereIfNothingIsBoundToIt) {
  PrelinkImage image = image_of_libraries(segments_of(10, 5, 0x400000), ET_EXEC);
  bind(image, 0, 0);
  bind(image, 2, 3);
  const auto layout = lay_out(image, loader, 1);
  ASSERT_TRUE(layout) << layout.error().text();
  expect_sound(image, *layout);
  EXPECT_TRUE(layout->places[0].is_absolute);
  EXPECT_EQ(layout->arena, 0U);
}

TEST(Layout, IsAsWellAlignedAsItsLibrariesAndHugePagesWant) {
  PrelinkImage image = image_of_libraries(segments_of(10, 5));
  EXPECT_EQ(lay_out(image, loader, 1)->alignment, page) << "one of many addresses";
  image.libraries.push_back(library_of(segments_of(16, 1, 0, 16 * page)));
  image.changes.libraries.resize(image.libraries.size());
  EXPECT_EQ(lay_out(image, loader, 1)->alignment, 16 * page);
  image.changes.packed = {2, 3};
  EXPECT_EQ(lay_out(image, loader, 1)->alignment, huge_page);
  PrelinkImage fixed = image_of_libraries(segments_of(10, 5, 0x400000, 512 * page), ET_EXEC);
  bind(fixed, 0, 2);
  EXPECT_EQ(lay_out(fixed, loader, 1)->alignment, page) << "the program does not move";
  EXPECT_NE(lay_out(fixed, loader, 1)->arena, lay_out(fixed, loader, 2)->arena);
}

TEST(Layout, ReportsWhereAddressesAre) {
  PrelinkImage image = image_of_libraries(segments_of(10, 5));
  image.changes.packed = {2};
  image.libraries[3].memory.reset();
  const auto layout = lay_out(image, loader, 1);
  ASSERT_TRUE(layout) << layout.error().text();
  const Place &place = layout->places[2];
  const std::uint64_t data = image.libraries[2].memory->data_begin;
  EXPECT_NE(place.delta, 0);
  EXPECT_EQ(layout->address_of(image, {2, 16}), place.base + 16);
  EXPECT_EQ(layout->address_of(image, {2, data}),
            place.base + data + static_cast<std::uint64_t>(place.delta));
  EXPECT_EQ(layout->address_of(image, {3, 16}), std::nullopt) << "of another shape";
}

TEST(Layout, ThatIsTooLargeFails) {
  for (const std::uint16_t type : {std::uint16_t{ET_DYN}, std::uint16_t{ET_EXEC}}) {
    PrelinkImage image =
        image_of_libraries(segments_of(10, 5, type == ET_EXEC ? 0x400000 : 0), type);
    constexpr std::uint64_t half = (format::greatest_arena / 2 - 64 * huge_page) / page;
    for (int i = 0; i < 2; ++i)
      image.libraries.push_back(library_of(segments_of(1, half)));
    image.changes.libraries.resize(image.libraries.size());
    bind(image, 0, 2);
    const auto layout = lay_out(image, loader, 1);
    ASSERT_FALSE(layout);
    EXPECT_EQ(layout.error().code, ErrorCode::bad_plan);
  }
}

TEST(Layout, PlacesCopiesAboveTheirOwnerOnFewHugePages) {
  for (const std::uint64_t size : {1, 100, 500, 511, 512, 700}) {
    PrelinkImage image = image_of_libraries(segments_of(30, 5));
    image.changes.packed = {2, 3, 4, 5};
    const CopyRoom room{.size = size * page, .owner = 4};
    const auto layout = lay_out(image, loader, 0, room);
    ASSERT_TRUE(layout) << layout.error().text();
    const std::uint64_t end = layout->copies + room.size;
    EXPECT_LE((end + huge_page - 1) / huge_page - layout->copies / huge_page,
              (room.size + huge_page - 1) / huge_page);
    const auto begin_of = [&](std::size_t library) {
      return layout->places[library].base + image.libraries[library].memory->begin;
    };
    EXPECT_LE(begin_of(4) + image.libraries[4].memory->data_end, layout->copies);
    EXPECT_GE(begin_of(3), end);
    EXPECT_LE(layout->zone_begin, begin_of(5));
    EXPECT_LE(end, layout->zone_end);
  }
}

} // namespace
} // namespace sartor::loader
