// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/image/moved_data.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "loader/lib/decode/data_references.h"
#include "paths.h"

namespace sartor::loader {
namespace {

constexpr std::int64_t delta = 0x12345000;

/// A library before and after its data has moved.
struct Moved {
  explicit Moved(const std::string &path, std::int64_t by = delta)
      : file(ElfFile::open(path).value()), before(LibraryMemory::of(file).value()), after(before),
        references(data_references(file, find_call_sites(file).value()).value()),
        result(move_data(file, after, references, by)), dynamic(*file.program_header(PT_DYNAMIC)) {}

  template <class T> static T read(LibraryMemory &memory, std::uint64_t address) {
    T value{};
    const auto bytes = memory.at(address, sizeof value);
    EXPECT_EQ(bytes.size(), sizeof value);
    if (!bytes.empty())
      std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  [[nodiscard]] std::uint64_t expected(std::uint64_t address) const {
    const bool is_kept = address >= dynamic.p_vaddr && address < dynamic.p_vaddr + dynamic.p_memsz;
    return address >= before.data_begin && address <= before.data_end && !is_kept
               ? address + static_cast<std::uint64_t>(delta)
               : address;
  }

  ElfFile file;
  LibraryMemory before, after;
  std::vector<std::uint64_t> references;
  Result<void> result;
  Elf64_Phdr dynamic;
};

class MovedData : public testing::TestWithParam<std::string> {};

TEST_P(MovedData, IsWhereDisplacementsLead) {
  Moved moved(GetParam());
  ASSERT_TRUE(moved.result) << moved.result.error().text();
  EXPECT_FALSE(moved.references.empty());
  for (const std::uint64_t place : moved.references)
    EXPECT_EQ(Moved::read<std::int32_t>(moved.after, place),
              Moved::read<std::int32_t>(moved.before, place) + delta);
}

TEST_P(MovedData, IsWhatRelocationsWriteAndMean) {
  Moved moved(GetParam());
  ASSERT_TRUE(moved.result) << moved.result.error().text();
  std::size_t relative = 0;
  for (const auto &[table, size] : {std::pair(DT_RELA, DT_RELASZ), {DT_JMPREL, DT_PLTRELSZ}}) {
    const std::uint64_t begin = moved.file.tag(table).value_or(0);
    for (std::uint64_t at = 0; at < moved.file.tag(size).value_or(0); at += sizeof(Elf64_Rela)) {
      const auto old = Moved::read<Elf64_Rela>(moved.before, begin + at);
      const auto now = Moved::read<Elf64_Rela>(moved.after, begin + at);
      const auto type = ELF64_R_TYPE(old.r_info);
      const bool is_address = type == R_X86_64_RELATIVE || type == R_X86_64_IRELATIVE;
      const auto addend = static_cast<std::uint64_t>(old.r_addend);
      EXPECT_EQ(now.r_info, old.r_info);
      EXPECT_EQ(now.r_offset, moved.expected(old.r_offset));
      EXPECT_EQ(static_cast<std::uint64_t>(now.r_addend),
                is_address ? moved.expected(addend) : addend);
      relative += is_address ? 1 : 0;
    }
  }
  if (!moved.file.tag(DT_RELR)) {
    EXPECT_GT(relative, 0U);
  }
}

/// Among all words of the data, only those with packed relocations change.
TEST_P(MovedData, HoldsWhatItHeldButForPackedRelocations) {
  Moved moved(GetParam());
  ASSERT_TRUE(moved.result) << moved.result.error().text();
  std::set<std::uint64_t> packed;
  std::uint64_t next = 0;
  const std::uint64_t table = moved.file.tag(DT_RELR).value_or(0);
  for (std::uint64_t at = 0; at < moved.file.tag(DT_RELRSZ).value_or(0); at += 8) {
    const auto entry = Moved::read<std::uint64_t>(moved.before, table + at);
    const auto now = Moved::read<std::uint64_t>(moved.after, table + at);
    EXPECT_EQ(now, (entry & 1) == 0 ? moved.expected(entry) : entry);
    if ((entry & 1) == 0) {
      packed.insert(entry);
      next = entry + 8;
      continue;
    }
    for (unsigned bit = 0; bit < 63; ++bit)
      if ((entry >> (bit + 1) & 1) != 0)
        packed.insert(next + 8ULL * bit);
    next += 63ULL * 8;
  }
  ASSERT_EQ(moved.after.data.size(), moved.before.data.size());
  EXPECT_EQ(moved.after.data_begin, moved.before.data_begin);
  EXPECT_EQ(moved.after.data_end, moved.before.data_end);
  for (std::uint64_t at = 0; at + 8 <= moved.before.data.size(); at += 8) {
    const std::uint64_t address = moved.before.data_begin + at;
    std::uint64_t old = 0, now = 0;
    std::memcpy(&old, &moved.before.data[at], sizeof old);
    std::memcpy(&now, &moved.after.data[at], sizeof now);
    EXPECT_EQ(now, packed.contains(address) ? moved.expected(old) : old);
  }
}

TEST_P(MovedData, IsWhereSymbolsAre) {
  Moved moved(GetParam());
  ASSERT_TRUE(moved.result) << moved.result.error().text();
  const std::uint64_t table = moved.file.tag(DT_SYMTAB).value();
  for (std::size_t i = 0; i < moved.file.symbols().size(); ++i) {
    const auto old = Moved::read<Elf64_Sym>(moved.before, table + i * sizeof(Elf64_Sym));
    const auto now = Moved::read<Elf64_Sym>(moved.after, table + i * sizeof(Elf64_Sym));
    const bool is_address = old.st_shndx != SHN_UNDEF && old.st_shndx != SHN_ABS &&
                            ELF64_ST_TYPE(old.st_info) != STT_TLS;
    EXPECT_EQ(now.st_value, is_address ? moved.expected(old.st_value) : old.st_value)
        << moved.file.symbols()[i].name;
  }
}

TEST_P(MovedData, IsWhereProgramHeadersSay) {
  Moved moved(GetParam());
  ASSERT_TRUE(moved.result) << moved.result.error().text();
  const auto &headers = moved.file.program_headers();
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const auto now = Moved::read<Elf64_Phdr>(moved.after, moved.after.begin +
                                                              moved.file.program_headers_offset() +
                                                              i * sizeof(Elf64_Phdr));
    EXPECT_EQ(now.p_type, headers[i].p_type);
    const bool is_data = headers[i].p_type == PT_LOAD && (headers[i].p_flags & PF_W) != 0;
    const bool is_within = headers[i].p_type == PT_GNU_RELRO || headers[i].p_type == PT_TLS;
    if (is_data)
      EXPECT_EQ(now.p_vaddr, headers[i].p_vaddr + static_cast<std::uint64_t>(delta));
    else if (is_within)
      EXPECT_EQ(now.p_vaddr, moved.expected(headers[i].p_vaddr));
    else
      EXPECT_EQ(now.p_vaddr, headers[i].p_vaddr);
    EXPECT_GE(now.p_memsz, headers[i].p_memsz);
  }
}

TEST_P(MovedData, LeavesTheDynamicSectionWhereTheFileHasIt) {
  Moved moved(GetParam());
  ASSERT_TRUE(moved.result) << moved.result.error().text();
  const std::set<std::int64_t> addresses = {
      DT_PLTGOT, DT_HASH, DT_GNU_HASH,   DT_STRTAB,     DT_SYMTAB, DT_RELA,   DT_JMPREL, DT_RELR,
      DT_INIT,   DT_FINI, DT_INIT_ARRAY, DT_FINI_ARRAY, DT_VERSYM, DT_VERDEF, DT_VERNEED};
  const Elf64_Dyn *at = nullptr;
  const std::uint64_t address = moved.dynamic.p_vaddr;
  ASSERT_LE(address + moved.dynamic.p_memsz, moved.after.readonly_end());
  ASSERT_GE(moved.after.readonly.size(), moved.before.readonly.size());
  for (std::uint64_t offset = 0; offset < moved.dynamic.p_memsz; offset += sizeof *at) {
    const auto old = Moved::read<Elf64_Dyn>(moved.before, address + offset);
    Elf64_Dyn now;
    std::memcpy(&now, moved.after.readonly.data() + (address - moved.after.begin) + offset,
                sizeof now);
    EXPECT_EQ(now.d_tag, old.d_tag);
    EXPECT_EQ(now.d_un.d_val,
              addresses.contains(old.d_tag) ? moved.expected(old.d_un.d_val) : old.d_un.d_val);
  }
}

/// Code and constants stay the same, except for displacements.
TEST_P(MovedData, LeavesTheRestAsItWas) {
  Moved moved(GetParam());
  ASSERT_TRUE(moved.result) << moved.result.error().text();
  for (const Section &section : moved.file.sections()) {
    if (!section.protection.execute && !section.name.starts_with(".rodata"))
      continue;
    const auto old = moved.before.at(section.address, section.size);
    const auto now = moved.after.at(section.address, section.size);
    ASSERT_EQ(now.size(), section.size) << section.name;
    for (const std::uint64_t place : moved.references)
      if (place >= section.address && place < section.address + section.size)
        std::ranges::copy(now.subspan(place - section.address, 4),
                          old.begin() + static_cast<std::ptrdiff_t>(place - section.address));
    EXPECT_TRUE(std::ranges::equal(old, now)) << section.name;
  }
}

INSTANTIATE_TEST_SUITE_P(OfLibraries, MovedData,
                         testing::Values(paths::data_subject(), paths::data_subject_packed(),
                                         paths::data_subject_readonly(), paths::subject_plt(),
                                         "/lib/x86_64-linux-gnu/libc.so.6",
                                         "/usr/lib/x86_64-linux-gnu/libstdc++.so.6"));

TEST(UnmovableData, IsAnErrorIfItWouldBeOutOfReach) {
  const Moved moved(paths::data_subject(), std::int64_t{1} << 31);
  ASSERT_FALSE(moved.result);
  EXPECT_EQ(moved.result.error().code, ErrorCode::bad_plan);
}

TEST(UnmovableData, IsAnErrorIfTheDynamicSectionLiesOutside) {
  constexpr std::uint64_t far = std::uint64_t{1} << 62;
  for (const auto &[size, distance] : {std::pair{~std::uint64_t{0}, std::uint64_t{0}},
                                       {far, 0},
                                       {0, 0},
                                       {8, 0},
                                       {8, far},
                                       {64, far}}) {
    const auto whole = ElfFile::open(paths::data_subject());
    ASSERT_TRUE(whole);
    std::vector<std::byte> bytes(whole->bytes().begin(), whole->bytes().end());
    for (std::size_t i = 0; i < whole->program_headers().size(); ++i) {
      Elf64_Phdr header = whole->program_headers()[i];
      if (header.p_type != PT_DYNAMIC)
        continue;
      header.p_memsz = size;
      header.p_vaddr += distance;
      std::memcpy(&bytes[whole->program_headers_offset() + i * sizeof header], &header,
                  sizeof header);
    }
    const auto file = ElfFile::parse("odd", std::move(bytes));
    ASSERT_TRUE(file) << file.error().text();
    auto memory = LibraryMemory::of(*file);
    ASSERT_TRUE(memory);
    EXPECT_FALSE(move_data(*file, *memory, {}, delta));
  }
}

} // namespace
} // namespace sartor::loader
