// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/file/static_probes.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "base/file/elf_sections.h"
#include "made_elf.h"

namespace sartor::loader {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

/// A section to append to a file.
struct MadeSection {
  std::string name;
  Elf64_Word type;
  std::uint64_t address;
  std::string content;
};

/// A file with these sections.
std::vector<std::byte> file_with(const std::vector<MadeSection> &sections) {
  std::vector<std::byte> bytes = made_elf({{0x0, 0x1000, 0x1000, PF_R | PF_X}});
  std::string names(1, '\0');
  std::vector<Elf64_Shdr> headers(1);
  const auto add = [&](const MadeSection &section) {
    Elf64_Shdr header{};
    header.sh_name = static_cast<Elf64_Word>(names.size());
    header.sh_type = section.type;
    header.sh_addr = section.address;
    header.sh_offset = bytes.size();
    header.sh_size = section.content.size();
    headers.push_back(header);
    names.append(section.name).push_back('\0');
    for (const char each : section.content)
      bytes.push_back(static_cast<std::byte>(each));
  };
  for (const MadeSection &section : sections)
    add(section);
  names.append(".names").push_back('\0');
  add({"", SHT_STRTAB, 0, names});
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.e_shoff = bytes.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<Elf64_Half>(headers.size());
  header.e_shstrndx = static_cast<Elf64_Half>(headers.size() - 1);
  std::memcpy(bytes.data(), &header, sizeof header);
  const auto *table = reinterpret_cast<const std::byte *>(headers.data());
  bytes.insert(bytes.end(), table, table + headers.size() * sizeof headers[0]);
  return bytes;
}

std::string words(std::initializer_list<std::uint64_t> numbers) {
  std::string text;
  for (const std::uint64_t number : numbers)
    text.append(reinterpret_cast<const char *>(&number), sizeof number);
  return text;
}

std::string note(const std::string &content, std::uint32_t type = static_probe_note) {
  const Elf64_Nhdr header{8, static_cast<Elf64_Word>(content.size()), type};
  std::string text(reinterpret_cast<const char *>(&header), sizeof header);
  text.append("stapsdt").push_back('\0');
  text += content;
  text.resize((text.size() + 3) / 4 * 4);
  return text;
}

const std::string texts("provider\0name\0-4@%edi 8@%rsi\0", 29);

std::vector<StaticProbe> probes_of(const std::string &notes, std::uint64_t base = 0x900) {
  static std::vector<ElfFile> files; // the texts point into them
  auto file = ElfFile::parse("made", file_with({{".stapsdt.base", SHT_PROGBITS, base, "x"},
                                                {".note.stapsdt", SHT_NOTE, 0, notes}}));
  EXPECT_TRUE(file) << file.error().text();
  files.push_back(std::move(*file));
  return static_probes(files.back());
}

TEST(StaticProbes, AreReadFromNotes) {
  const auto probes = probes_of(note(words({0x110, 0x900, 0x820}) + texts) +
                                note(words({0x120, 0x900, 0}) + texts));
  ASSERT_THAT(probes, SizeIs(2));
  EXPECT_EQ(probes[0].provider, "provider");
  EXPECT_EQ(probes[0].name, "name");
  EXPECT_EQ(probes[0].arguments, "-4@%edi 8@%rsi");
  EXPECT_EQ(probes[0].address, 0x110U);
  EXPECT_EQ(probes[0].semaphore, 0x820U);
  EXPECT_EQ(probes[1].address, 0x120U);
  EXPECT_EQ(probes[1].semaphore, 0U);
}

TEST(StaticProbes, AreMovedWithAFileThatWasPrelinked) {
  const auto probes = probes_of(
      note(words({0x110, 0x900, 0x820}) + texts) + note(words({0x120, 0x900, 0}) + texts), 0x40900);
  ASSERT_THAT(probes, SizeIs(2));
  EXPECT_EQ(probes[0].address, 0x40110U);
  EXPECT_EQ(probes[0].semaphore, 0x40820U);
  EXPECT_EQ(probes[1].semaphore, 0U) << "there is none";
}

TEST(StaticProbes, ThatAreCutOffOrOfOthersAreIgnored) {
  const std::string whole = note(words({0x110, 0x900, 0x820}) + texts);
  EXPECT_THAT(probes_of(whole.substr(0, whole.size() - 8)), IsEmpty());
  EXPECT_THAT(probes_of(note(words({0x110, 0x900}))), IsEmpty());
  EXPECT_THAT(probes_of(note(words({0x110, 0x900, 0x820}) + texts, 4)), IsEmpty());
  EXPECT_THAT(probes_of(""), IsEmpty());
  const auto unfinished = probes_of(note(words({0x110, 0x900, 0x820}) + "provider"));
  ASSERT_THAT(unfinished, SizeIs(1));
  EXPECT_EQ(unfinished[0].provider, "provider");
  EXPECT_EQ(unfinished[0].name, "");
}

TEST(FileSections, OfAFileWithoutValidHeadersAreNone) {
  auto bytes = file_with({{".note.stapsdt", SHT_NOTE, 0, "x"}});
  EXPECT_THAT(base::sections_in(bytes), SizeIs(3));
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  for (const std::uint64_t offset : {std::uint64_t{0}, bytes.size() - 10, ~std::uint64_t{0}}) {
    Elf64_Ehdr other = header;
    other.e_shoff = offset;
    std::memcpy(bytes.data(), &other, sizeof other);
    EXPECT_THAT(base::sections_in(bytes), IsEmpty()) << offset;
  }
  EXPECT_THAT(base::sections_in(std::span(bytes).first(10)), IsEmpty());
}

} // namespace
} // namespace sartor::loader
