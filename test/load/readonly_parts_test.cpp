// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/image/readonly_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loader/lib/format/image_format.h"
#include "made_elf.h"

namespace sartor::loader {
namespace {

using format::huge_page;
using format::page;
using testing::ElementsAre;

constexpr ReadonlyPart constants(std::uint64_t begin, std::uint64_t end) {
  return {{begin, end}, false};
}
constexpr ReadonlyPart code(std::uint64_t begin, std::uint64_t end) { return {{begin, end}, true}; }

TEST(ReadonlyParts, OnSmallPagesHaveConstantsApart) {
  EXPECT_THAT(parts_of({page, 9 * page}, {{6 * page, 7 * page}, {2 * page, 4 * page}}, false),
              ElementsAre(constants(page, 2 * page), code(2 * page, 4 * page),
                          constants(4 * page, 6 * page), code(6 * page, 7 * page),
                          constants(7 * page, 9 * page)));
  EXPECT_THAT(parts_of({0, page}, {}, false), ElementsAre(constants(0, page)));
  EXPECT_THAT(parts_of({0, 2 * page}, {{0, page}, {page, 2 * page}}, false),
              ElementsAre(code(0, 2 * page)))
      << "of libraries next to each other";
}

TEST(ReadonlyParts, OnHugePagesShareThemWithMuchCode) {
  const std::uint64_t little = huge_page / 4 - page;
  const Pages all{0, 4 * huge_page};
  EXPECT_THAT(parts_of(all, {{huge_page + page, 2 * huge_page + little}}, true),
              ElementsAre(constants(0, huge_page), code(huge_page, 2 * huge_page + little),
                          constants(2 * huge_page + little, 4 * huge_page)));
  EXPECT_THAT(parts_of(all, {{huge_page + page, 2 * huge_page + little + page}}, true),
              ElementsAre(constants(0, huge_page), code(huge_page, 3 * huge_page),
                          constants(3 * huge_page, 4 * huge_page)));
}

TEST(ReadonlyParts, OfManySmallLibrariesShareAHugePage) {
  std::vector<Pages> some;
  for (std::uint64_t i = 0; i < 4; ++i)
    some.push_back({i * 10 * page, (i * 10 + 1) * page});
  EXPECT_EQ(parts_of({0, huge_page}, some, true).size(), 8U);
  some.push_back({50 * page, 51 * page});
  EXPECT_THAT(parts_of({0, huge_page}, some, true), ElementsAre(code(0, huge_page)));
}

TEST(ReadonlyParts, AreApartInHugePagesThatAreNotWhole) {
  EXPECT_THAT(parts_of({page, huge_page + 9 * page},
                       {{2 * page, huge_page - page}, {huge_page, huge_page + 8 * page}}, true),
              ElementsAre(constants(page, 2 * page), code(2 * page, huge_page - page),
                          constants(huge_page - page, huge_page),
                          code(huge_page, huge_page + 8 * page),
                          constants(huge_page + 8 * page, huge_page + 9 * page)));
}

TEST(ReadonlyParts, KnowWhereCodeIs) {
  const auto file =
      ElfFile::parse("made up", made_elf({{0, page, page, PF_R, page},
                                          {page, page + 1, page + 1, PF_R | PF_X, page},
                                          {4 * page, page, page, PF_R, page}}));
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_THAT(code_of(*file, huge_page),
              ElementsAre(Pages{huge_page + page, huge_page + 3 * page}));
}

} // namespace
} // namespace sartor::loader
