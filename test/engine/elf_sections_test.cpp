// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/file/elf_sections.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/loaded_object.h"

namespace sartor::base {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;

std::span<const std::byte> bytes_of(const std::string &text) {
  return std::as_bytes(std::span(text));
}

const std::string &this_program() {
  static const std::string content = [] {
    std::ifstream file("/proc/self/exe", std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  return content;
}

Elf64_Ehdr header_of_this_program() { return *elf_header_of(bytes_of(this_program())); }

std::string with_header(const Elf64_Ehdr &header) {
  std::string file = this_program();
  std::memcpy(file.data(), &header, sizeof header);
  return file;
}

std::string note(const std::string &name, std::uint32_t type, const std::string &content,
                 std::size_t alignment = 4) {
  const Elf64_Nhdr header{.n_namesz = static_cast<Elf64_Word>(name.size() + 1),
                          .n_descsz = static_cast<Elf64_Word>(content.size()),
                          .n_type = type};
  std::string text(reinterpret_cast<const char *>(&header), sizeof header);
  const auto pad = [&] { text.resize((text.size() + alignment - 1) / alignment * alignment); };
  text += name + '\0';
  pad();
  text += content;
  pad();
  return text;
}

TEST(ElfSections, AFileOfAnotherKindHasNoParts) {
  for (const std::string &file : {std::string(), std::string("text"), std::string(4096, '\0'),
                                  this_program().substr(0, sizeof(Elf64_Ehdr) - 1)}) {
    EXPECT_FALSE(elf_header_of(bytes_of(file)));
    EXPECT_THAT(program_headers_in(bytes_of(file)), IsEmpty());
    EXPECT_THAT(sections_in(bytes_of(file)), IsEmpty());
  }
}

TEST(ElfSections, ProgramHeadersAreThoseOfTheRunningProgram) {
  const auto in_file = program_headers_in(bytes_of(this_program()));
  std::vector<std::uint32_t> loaded, expected;
  find_loaded_object([&](const dl_phdr_info &program) {
    for (const ElfW(Phdr) &each : program_headers_of(program))
      loaded.push_back(each.p_type);
    return true;
  });
  for (const Elf64_Phdr &each : in_file)
    expected.push_back(each.p_type);
  EXPECT_EQ(loaded, expected);
}

TEST(ElfSections, ProgramHeadersThatAreCutOffAreLeftOut) {
  const std::size_t end = header_of_this_program().e_phoff + 2 * sizeof(Elf64_Phdr);
  EXPECT_THAT(program_headers_in(bytes_of(this_program().substr(0, end + 1))), SizeIs(2));
  auto header = header_of_this_program();
  header.e_phoff = UINT64_MAX;
  EXPECT_THAT(program_headers_in(bytes_of(with_header(header))), IsEmpty());
  header = header_of_this_program();
  header.e_phentsize = 1;
  EXPECT_THAT(program_headers_in(bytes_of(with_header(header))), IsEmpty());
}

TEST(ElfSections, ThereAreNoneIfTheHeadersAreDamaged) {
  EXPECT_THAT(sections_in(bytes_of(this_program())), Contains(Field(&FileSection::name, ".text")));
  const Elf64_Ehdr sound = header_of_this_program();
  for (const auto damage : std::vector<void (*)(Elf64_Ehdr &)>{
           [](Elf64_Ehdr &header) { header.e_shoff = 0; },
           [](Elf64_Ehdr &header) { header.e_shoff = UINT64_MAX - 8; },
           [](Elf64_Ehdr &header) { header.e_shentsize = 63; },
           [](Elf64_Ehdr &header) { header.e_shstrndx = header.e_shnum; },
           [](Elf64_Ehdr &header) { header.e_shnum = 0; },
       }) {
    Elf64_Ehdr header = sound;
    damage(header);
    EXPECT_THAT(sections_in(bytes_of(with_header(header))), IsEmpty());
  }
}

TEST(ElfSections, AFileThatIsReadInPartsHasTheSameSections) {
  std::vector<std::string> names, expected;
  for_each_section(
      [](std::uint64_t offset, std::uint64_t size) {
        return offset > this_program().size() ? std::string() : this_program().substr(offset, size);
      },
      [&](std::string_view name, const Elf64_Shdr &) { names.emplace_back(name); });
  for (const FileSection &section : sections_in(bytes_of(this_program())))
    expected.emplace_back(section.name);
  EXPECT_EQ(names, expected);
}

TEST(ElfNotes, BeginAtMultiplesOfTheAlignment) {
  for (const std::size_t alignment : {4U, 8U}) {
    const std::string notes =
        note("first", 1, "12345", alignment) + note("second", 2, "", alignment);
    EXPECT_THAT(notes_in(bytes_of(notes), alignment),
                ElementsAre(Field(&Note::name, "first"), Field(&Note::name, "second")));
  }
}

TEST(ElfNotes, EndAtOneThatIsCutOff) {
  const std::string first = note("a", 1, "1234");
  const std::string both = first + note("b", 2, "1234");
  for (std::size_t size = 0; size < both.size(); ++size)
    EXPECT_THAT(notes_in(bytes_of(both.substr(0, size))), SizeIs(size < first.size() ? 0 : 1));
  std::string damaged = both;
  damaged.replace(0, 4, 4, '\xff');
  EXPECT_THAT(notes_in(bytes_of(damaged)), IsEmpty());
}

TEST(BuildIdNote, IsTheOneOfTheLinker) {
  const std::string id("\x01\xab", 2);
  EXPECT_EQ(build_id_in(bytes_of(note("GNU", NT_GNU_BUILD_ID + 1, "other") +
                                 note("Go", NT_GNU_BUILD_ID, "other") +
                                 note("GNU", NT_GNU_BUILD_ID, id))),
            "01ab");
  EXPECT_FALSE(build_id_in(bytes_of(note("GNU", NT_GNU_BUILD_ID, ""))));
  EXPECT_FALSE(build_id_in({}));
}

TEST(LoadedObject, ContainsItsCodeAndNoOther) {
  const auto here = reinterpret_cast<std::uintptr_t>(&this_program);
  int containing = 0;
  find_loaded_object([&](const dl_phdr_info &object) {
    containing += contains(object, here) ? 1 : 0;
    EXPECT_FALSE(contains(object, 0));
    return false;
  });
  EXPECT_EQ(containing, 1);
}

} // namespace
} // namespace sartor::base
