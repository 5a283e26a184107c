// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/file/unwind_info.h"
#include "paths.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace sartor::loader {
namespace {

TEST(Unwinding, AreThoseOfTheSymbols) {
  const auto file = ElfFile::open(paths::subject_plt());
  ASSERT_TRUE(file) << file.error().text();
  const auto bounds = unwinding_of(*file);
  ASSERT_TRUE(bounds) << bounds.error().text();
  std::size_t functions = 0;
  for (const Symbol &symbol : file->symbols())
    if (symbol.is_defined && symbol.type == STT_FUNC && symbol.size > 0) {
      ++functions;
      EXPECT_THAT(bounds->functions,
                  testing::Contains(CodeRange{symbol.address, symbol.address + symbol.size}))
          << symbol.name;
    }
  EXPECT_EQ(functions, 4U);
}

TEST(Unwinding, AreInOrderAndDoNotOverlap) {
  for (const char *path :
       {"/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6"}) {
    const auto file = ElfFile::open(path);
    ASSERT_TRUE(file) << file.error().text();
    const auto bounds = unwinding_of(*file);
    ASSERT_TRUE(bounds) << bounds.error().text();
    EXPECT_GT(bounds->functions.size(), 1000U);
    for (std::size_t i = 1; i < bounds->functions.size(); ++i)
      EXPECT_LE(bounds->functions[i - 1].end, bounds->functions[i].begin);
  }
}

TEST(Unwinding, AreTheSameWithoutTheTableThatUnwindersSearch) {
  const auto whole = ElfFile::open(paths::subject_plt());
  ASSERT_TRUE(whole);
  const auto header = whole->from(*whole->unwind_table());
  const auto offset = static_cast<std::size_t>(header.data() - whole->bytes().data());
  std::vector<std::byte> bytes(whole->bytes().begin(), whole->bytes().end());
  constexpr std::byte omitted{0xff};
  bytes[offset + 2] = bytes[offset + 3] = omitted;
  const auto file = ElfFile::parse("without table", std::move(bytes));
  ASSERT_TRUE(file);
  const auto bounds = unwinding_of(*file);
  ASSERT_TRUE(bounds) << bounds.error().text();
  EXPECT_EQ(bounds->functions, unwinding_of(*whole)->functions);
}

TEST(Unwinding, LiesInItsSections) {
  for (const std::string &path : std::vector<std::string>{
           paths::data_subject(), "/usr/lib/x86_64-linux-gnu/libstdc++.so.6"}) {
    const auto file = ElfFile::open(path);
    ASSERT_TRUE(file) << file.error().text();
    const auto unwinding = unwinding_of(*file);
    ASSERT_TRUE(unwinding) << unwinding.error().text();
    EXPECT_TRUE(unwinding->is_all);
    EXPECT_GE(unwinding->types.size(), 3U);
    EXPECT_GE(unwinding->landing_pads.size(), 3U);
    for (const CodeRange &place : unwinding->places)
      EXPECT_TRUE(std::ranges::any_of(file->sections(), [&](const Section &section) {
        return (section.name.starts_with(".eh_frame") || section.name == ".gcc_except_table") &&
               place.begin >= section.address && place.begin < section.address + section.size;
      })) << path;
    for (const auto &[function, pad] : unwinding->landing_pads)
      EXPECT_NE(range_at(unwinding->functions, pad), nullptr) << path;
    for (const unwind::Pointer &pointer : unwinding->types)
      EXPECT_NE(range_at(unwinding->places, pointer.place), nullptr) << path;
  }
}

TEST(Unwinding, DamageIsAnErrorOrHarmless) {
  const auto whole = ElfFile::open(paths::subject_plt());
  ASSERT_TRUE(whole);
  const std::uint64_t table = *whole->unwind_table();
  const auto rest = whole->from(table);
  const auto offset = static_cast<std::size_t>(rest.data() - whole->bytes().data());
  std::mt19937_64 random(1);
  std::uniform_int_distribution<std::size_t> anywhere(offset, offset + rest.size() - 1);
  std::uniform_int_distribution<unsigned> any(0, 255);
  std::size_t refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::vector<std::byte> bytes(whole->bytes().begin(), whole->bytes().end());
    for (int i = 0; i <= round % 3; ++i)
      bytes[anywhere(random)] = static_cast<std::byte>(any(random));
    const auto file = ElfFile::parse("damaged", std::move(bytes));
    if (!file)
      continue;
    const auto bounds = unwinding_of(*file);
    refused += bounds ? 0 : 1;
    if (!bounds)
      EXPECT_EQ(bounds.error().code, ErrorCode::bad_elf);
  }
  EXPECT_GT(refused, 100U);
}

} // namespace
} // namespace sartor::loader
