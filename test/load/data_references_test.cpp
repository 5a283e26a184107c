// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/decode/data_references.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "emitted_relocations.h"
#include "paths.h"

namespace sartor::loader {
namespace {

using testing::HasSubstr;

constexpr const char *libc = "/lib/x86_64-linux-gnu/libc.so.6";
constexpr const char *libstdcxx = "/usr/lib/x86_64-linux-gnu/libstdc++.so.6";

struct Subject {
  explicit Subject(const std::string &path)
      : file(ElfFile::open(path).value()), code(find_call_sites(file).value()),
        references(data_references(file, code)) {}
  ElfFile file;
  Decoded code;
  Result<std::vector<std::uint64_t>> references;
};

bool is_writable(const ElfFile &file, std::uint64_t address) {
  return std::ranges::any_of(file.segments(), [&](const Segment &segment) {
    return segment.protection.write && address >= segment.address &&
           address <= segment.address + segment.memory_size;
  });
}

std::uint64_t displacement(const ElfFile &file, std::uint64_t place) {
  std::int32_t value = 0;
  std::memcpy(&value, file.at(place, sizeof value).value().data(), sizeof value);
  return static_cast<std::uint64_t>(std::int64_t{value});
}

/// The target of a displacement if no immediate follows it. In unwind information the displacement
/// is relative to its own place.
std::uint64_t target(const ElfFile &file, std::uint64_t place) {
  const bool is_code = std::ranges::any_of(file.sections(), [&](const Section &section) {
    return section.protection.execute && place >= section.address &&
           place < section.address + section.size;
  });
  return place + displacement(file, place) + (is_code ? 4 : 0);
}

bool is_in_linkage_table(const ElfFile &file, std::uint64_t place) {
  return std::ranges::any_of(file.sections(), [&](const Section &section) {
    return section.name.starts_with(".plt") && place >= section.address &&
           place < section.address + section.size;
  });
}

TEST(DataReferences, AreThoseThatTheLinkerHasPutIn) {
  for (const std::string &path :
       std::vector<std::string>{paths::data_subject(), paths::data_subject_unoptimized()}) {
    const Subject subject(path);
    ASSERT_TRUE(subject.references) << subject.references.error().text();
    std::set<std::uint64_t> found;
    for (const std::uint64_t place : *subject.references)
      if (!is_in_linkage_table(subject.file, place))
        found.insert(place);
    const auto expected = EmittedRelocations(subject.file).crossing();
    EXPECT_GT(expected.size(), 10U);
    EXPECT_EQ(found, expected) << path;
  }
}

TEST(DataReferences, LeadIntoWritableDataFromWhatIsNot) {
  for (const std::string &path : std::vector<std::string>{
           paths::data_subject(), paths::subject_plt(), paths::subject_no_plt(), libc, libstdcxx}) {
    const Subject subject(path);
    ASSERT_TRUE(subject.references) << subject.references.error().text();
    EXPECT_TRUE(std::ranges::is_sorted(*subject.references));
    EXPECT_EQ(std::ranges::adjacent_find(*subject.references), subject.references->end());
    for (const std::uint64_t place : *subject.references) {
      const std::uint64_t to = target(subject.file, place);
      // An immediate of up to four bytes may follow.
      EXPECT_TRUE(is_writable(subject.file, to) || is_writable(subject.file, to + 4)) << path;
      EXPECT_TRUE(std::ranges::none_of(subject.file.segments(), [&](const Segment &segment) {
        return segment.protection.write && segment.holds(place);
      })) << path;
    }
  }
}

TEST(DataReferences, AreInUnwindInformationWhereExceptionsAreCaught) {
  for (const std::string &path : std::vector<std::string>{paths::data_subject(), libstdcxx}) {
    const Subject subject(path);
    ASSERT_TRUE(subject.references) << subject.references.error().text();
    std::size_t inside = 0;
    for (const std::uint64_t place : *subject.references)
      for (const Section &section : subject.file.sections())
        if (section.name == ".gcc_except_table" || section.name == ".eh_frame")
          inside += place >= section.address && place < section.address + section.size ? 1 : 0;
    EXPECT_GE(inside, 4U) << path; // three types and the personality
  }
}

TEST(DataReferences, AreInDoubtWhereThereMayBeCodeOrATable) {
  const Subject subject(paths::ambiguous());
  ASSERT_FALSE(subject.references);
  EXPECT_EQ(subject.references.error().code, ErrorCode::bad_plan);
  EXPECT_THAT(subject.references.error().message, HasSubstr("bytes may be code or data"));
}

TEST(DataReferences, AreInDoubtWhereAFunctionIsNotDecoded) {
  const auto whole = ElfFile::open(paths::data_subject());
  ASSERT_TRUE(whole);
  const auto symbol = std::ranges::find(whole->symbols(), "data_subject_change", &Symbol::name);
  ASSERT_NE(symbol, whole->symbols().end());
  std::vector<std::byte> bytes(whole->bytes().begin(), whole->bytes().end());
  const auto at =
      static_cast<std::size_t>(whole->from(symbol->address).data() - whole->bytes().data());
  bytes[at] = std::byte{0x06}; // not an instruction
  const auto file = ElfFile::parse("damaged", std::move(bytes));
  ASSERT_TRUE(file);
  const auto code = find_call_sites(*file);
  ASSERT_TRUE(code);
  const auto references = data_references(*file, *code);
  ASSERT_FALSE(references);
  EXPECT_THAT(references.error().message, HasSubstr("cannot be decoded"));
}

TEST(DataReferences, AreInDoubtWhereAPointerLeadsBetweenCodeAndData) {
  const auto whole = ElfFile::open(paths::data_subject());
  ASSERT_TRUE(whole);
  const DataBounds data(*whole);
  ASSERT_LT(data.readonly_end() + 1, data.begin());
  std::vector<std::byte> bytes(whole->bytes().begin(), whole->bytes().end());
  const auto table = whole->from(whole->tag(DT_RELA).value());
  const auto offset = static_cast<std::size_t>(table.data() - whole->bytes().data());
  auto entries = entries_of<Elf64_Rela>(*whole, offset, whole->tag(DT_RELASZ).value());
  const auto pointer =
      std::ranges::find(entries, unsigned{R_X86_64_RELATIVE}, [](const auto &each) {
        return static_cast<unsigned>(ELF64_R_TYPE(each.r_info));
      });
  ASSERT_NE(pointer, entries.end());
  pointer->r_addend = static_cast<std::int64_t>(data.begin() - 1);
  std::memcpy(&bytes[offset], entries.data(), entries.size() * sizeof(Elf64_Rela));
  const auto file = ElfFile::parse("changed", std::move(bytes));
  ASSERT_TRUE(file);
  const auto references = data_references(*file, *find_call_sites(*file));
  ASSERT_FALSE(references);
  EXPECT_THAT(references.error().message, HasSubstr("it refers to unmapped memory at 0x"));
}

TEST(DataReferences, PassOnWhatDecodingDoubts) {
  const auto file = ElfFile::open(paths::data_subject());
  ASSERT_TRUE(file);
  Decoded nothing;
  nothing.doubt = "in doubt at 0x10";
  const auto references = data_references(*file, nothing);
  ASSERT_FALSE(references);
  EXPECT_EQ(references.error().message, nothing.doubt);
}

} // namespace
} // namespace sartor::loader
