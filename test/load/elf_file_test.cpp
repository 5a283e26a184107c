// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/file/elf_file.h"
#include "paths.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace sartor::loader {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;

constexpr const char *libc = "/lib/x86_64-linux-gnu/libc.so.6";

const Symbol *find(const ElfFile &file, std::string_view name) {
  const auto found = std::ranges::find(file.symbols(), name, &Symbol::name);
  return found == file.symbols().end() ? nullptr : &*found;
}

std::vector<std::byte> bytes_of(const std::string &path) {
  const auto file = ElfFile::open(path);
  EXPECT_TRUE(file) << file.error().text();
  return {file->bytes().begin(), file->bytes().end()};
}

TEST(ElfFile, ReportsNamesAndNeeds) {
  const auto file = ElfFile::open(paths::subject_plt());
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_TRUE(file->is_relocatable());
  EXPECT_EQ(file->dynamic()->name, "libload_subject_plt.so");
  EXPECT_THAT(file->dynamic()->needed, Contains("libc.so.6"));
  EXPECT_THAT(file->build_id(), SizeIs(40));
  EXPECT_EQ(file->interpreter(), "");
  EXPECT_EQ(file->tls_size(), sizeof(int));
}

TEST(ElfFile, SymbolsOfAProgramThatExportsNothingAreThere) {
  const auto file = ElfFile::open(paths::no_exports());
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(std::ranges::count(file->symbols(), "__libc_start_main", &Symbol::name), 1);
}

TEST(ElfFile, ReportsSymbolsWithTheirVersions) {
  const auto file = ElfFile::open(paths::subject_plt());
  ASSERT_TRUE(file);
  const Symbol *defined = find(*file, "subject_call");
  ASSERT_TRUE(defined);
  EXPECT_TRUE(defined->is_defined);
  EXPECT_EQ(defined->type, STT_FUNC);
  EXPECT_EQ(defined->binding, Binding::global);
  const Symbol *used = find(*file, "abs");
  ASSERT_TRUE(used);
  EXPECT_FALSE(used->is_defined);
  EXPECT_EQ(used->version, "GLIBC_2.2.5");
  EXPECT_FALSE(used->is_default_version);
}

TEST(ElfFile, ReportsWhichVersionIsTheDefault) {
  const auto file = ElfFile::open(libc);
  ASSERT_TRUE(file) << file.error().text();
  std::size_t defaults = 0, others = 0; // memcpy@@GLIBC_2.14, memcpy@GLIBC_2.2.5
  for (const Symbol &symbol : file->symbols())
    if (symbol.name == "memcpy")
      ++(symbol.is_default_version ? defaults : others);
  EXPECT_EQ(defaults, 1U);
  EXPECT_EQ(others, 1U);
}

TEST(ElfFile, ReportsRelocationsPackedOnesToo) {
  for (const std::string &path : std::vector<std::string>{paths::subject_plt(), libc}) {
    const auto file = ElfFile::open(path);
    ASSERT_TRUE(file);
    EXPECT_FALSE(file->relocations().empty());
    for (const Relocation &relocation : file->relocations())
      EXPECT_TRUE(std::ranges::any_of(file->segments(), [&](const Segment &segment) {
        return segment.holds(relocation.address) && segment.protection.write;
      })) << path;
  }
}

TEST(ElfFile, SegmentsAreNeverWritableAndExecutable) {
  const auto file = ElfFile::open(libc);
  ASSERT_TRUE(file);
  for (const Segment &segment : file->segments())
    EXPECT_FALSE(segment.protection.write && segment.protection.execute);
}

TEST(ElfFile, ReadsWhatIsAtAnAddress) {
  const auto file = ElfFile::open(paths::subject_plt());
  ASSERT_TRUE(file);
  const Segment &last = file->segments().back();
  EXPECT_TRUE(file->at(last.address, last.file_size));
  EXPECT_FALSE(file->at(last.address, last.file_size + 1));
  EXPECT_TRUE(file->from(last.address + last.file_size).empty());
  EXPECT_TRUE(file->from(~std::uint64_t{0}).empty());
}

TEST(ElfFile, IsTheSameWhenMoved) {
  auto file = ElfFile::open(paths::subject_plt());
  ASSERT_TRUE(file);
  const ElfFile moved = std::move(*file);
  EXPECT_TRUE(find(moved, "subject_call"));
}

TEST(ElfFile, WhatIsNoElfFileIsRefusedByName) {
  const auto missing = ElfFile::open("/nowhere/lib.so");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::file_error);
  EXPECT_EQ(missing.error().subject, "/nowhere/lib.so");

  const std::string text =
      "#!/bin/sh\necho this is a script, and long enough for a header of ELF\n";
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  const auto script = ElfFile::parse("script", std::move(bytes));
  ASSERT_FALSE(script);
  EXPECT_EQ(script.error().code, ErrorCode::bad_elf);
  EXPECT_EQ(script.error().subject, "script");
  EXPECT_THAT(script.error().message, HasSubstr("no ELF file"));
}

TEST(ElfFile, OfAnotherMachineIsRefused) {
  auto bytes = bytes_of(paths::subject_plt());
  const std::uint16_t machine = EM_AARCH64;
  std::memcpy(&bytes[offsetof(Elf64_Ehdr, e_machine)], &machine, sizeof machine);
  const auto file = ElfFile::parse("lib.so", std::move(bytes));
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().message, HasSubstr("x86-64"));
}

/// Reads everything that the file's accessors return; all of it must be within the file.
void look_at_all(const ElfFile &file) {
  std::size_t sum = 0;
  for (const Symbol &symbol : file.symbols())
    for (const char c : symbol.name)
      sum += static_cast<unsigned char>(c);
  for (const Segment &segment : file.segments())
    sum += file.from(segment.address).size();
  for (const Relocation &relocation : file.relocations())
    EXPECT_LT(relocation.symbol, std::max<std::size_t>(file.symbols().size(), 1));
  EXPECT_GE(sum, 0U);
}

TEST(ElfFile, CutOffAnywhereIsAnErrorOrStillWhole) {
  const auto whole = bytes_of(paths::subject_plt());
  for (std::size_t size = 0; size < whole.size(); size += size < 4096 ? 1 : 61) {
    const auto file =
        ElfFile::parse("cut", {whole.begin(), whole.begin() + static_cast<long>(size)});
    if (file)
      look_at_all(*file);
    else
      EXPECT_EQ(file.error().code, ErrorCode::bad_elf);
  }
}

TEST(ElfFile, DamageAnywhereIsAnErrorOrHarmless) {
  const auto whole = bytes_of(paths::subject_plt());
  std::mt19937_64 random(1);
  std::uniform_int_distribution<std::size_t> anywhere(0, whole.size() - 1);
  std::uniform_int_distribution<std::size_t> in_headers(0, 2047);
  std::uniform_int_distribution<unsigned> any(0, 255);
  constexpr std::array<unsigned, 4> telling = {0, 1, 0x7f, 0xff};
  std::size_t refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    auto bytes = whole;
    for (int i = 0; i < 1 + round % 4; ++i)
      bytes[round % 3 == 0 ? anywhere(random) : in_headers(random)] =
          static_cast<std::byte>(round % 2 == 0 ? any(random) : telling[any(random) % 4]);
    const auto file = ElfFile::parse("damaged", std::move(bytes));
    if (file)
      look_at_all(*file);
    refused += file ? 0 : 1;
  }
  EXPECT_GT(refused, 100U);
}

} // namespace
} // namespace sartor::loader
