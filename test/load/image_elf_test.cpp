// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Image files as tracers and profilers read them.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <sched.h>
#include <set>
#include <string>

#include <elf.h>
#include <sys/mman.h>

#include "base/file/elf_sections.h"
#include "folder.h"
#include "loader/lib/file/named_symbols.h"
#include "loader/lib/image/image_file.h"
#include "loader/lib/image/image_notes.h"
#include "loader/lib/image/image_symbols.h"
#include "loader/lib/image/symbol_file.h"
#include "loader/lib/image/written_image.h"
#include "paths.h"

namespace sartor::loader {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

/// A symbol of an image's table.
struct Found {
  std::uint64_t offset, size;
  int type, binding;
  unsigned section;
};

std::multimap<std::string, Found> symbols_in(const ElfFile &image) {
  std::multimap<std::string, Found> symbols;
  const auto sections = base::sections_in(image.bytes());
  for (const base::FileSection &section : sections)
    if (section.header.sh_type == SHT_SYMTAB)
      for (std::uint64_t i = 1; const auto entry = base::entry_of<Elf64_Sym>(section.content, i);
           ++i) {
        EXPECT_EQ(ELF64_ST_BIND(entry->st_info),
                  i < section.header.sh_info ? STB_LOCAL : STB_GLOBAL);
        symbols.emplace(base::text_at(sections.at(section.header.sh_link).content, entry->st_name),
                        Found{entry->st_value, entry->st_size, ELF64_ST_TYPE(entry->st_info),
                              ELF64_ST_BIND(entry->st_info), entry->st_shndx});
      }
  return symbols;
}

/// Image files of one program, written once: without changes, and with packed libraries.
class ImageElf : public testing::Test {
protected:
  static void SetUpTestSuite() {
    folder = new Folder;
    plain = folder->path() / "plain";
    packed = folder->path() / "packed";
    write(plain, false);
    write(packed, true);
  }
  static void TearDownTestSuite() {
    delete folder;
    folder = nullptr;
  }
  static PrelinkImage image_of_program() {
    auto image = bound_image_of(paths::load_program());
    EXPECT_TRUE(image) << image.error().text();
    return std::move(*image);
  }
  static void write(const fs::path &path, bool is_packed) {
    PrelinkImage image = image_of_program();
    for (std::size_t i = 1; is_packed && i < image.libraries.size(); ++i)
      if (image.libraries[i].unmovable.empty())
        image.changes.packed.push_back(i);
    const auto written = write_image(std::move(image), {.key = 1, .files = {}}, path);
    ASSERT_TRUE(written) << written.error().text();
  }
  static ElfFile open(const fs::path &path) {
    auto file = ElfFile::open(path);
    EXPECT_TRUE(file) << file.error().text();
    return std::move(*file);
  }

  static Folder *folder;
  static fs::path plain, packed;
};

Folder *ImageElf::folder = nullptr;
fs::path ImageElf::plain, ImageElf::packed;

TEST_F(ImageElf, HasTheFunctionsOfEachLibraryWithTheirBytes) {
  const PrelinkImage program = image_of_program();
  for (const fs::path &path : {plain, packed}) {
    const ElfFile image = open(path);
    const auto symbols = symbols_in(image);
    for (const Library &library : program.libraries) {
      if (library.is_stock_loader)
        continue; // its system calls are replaced
      std::size_t compared = 0;
      for (const NamedSymbol &symbol : named_symbols(library.file)) {
        if (symbol.type == STT_OBJECT)
          continue; // zeros are not in the file
        std::string name = name_of(library) + "!" + std::string(symbol.name);
        if (!symbol.version.empty())
          name.append("@").append(symbol.version);
        const auto [begin, end] = symbols.equal_range(name);
        ASSERT_NE(begin, end) << name;
        if (symbol.type != STT_FUNC || symbol.size == 0)
          continue;
        const auto wanted = library.file.at(symbol.address, symbol.size);
        ASSERT_TRUE(wanted);
        // Packing changes distances to data, of four bytes.
        const bool has_bytes = std::any_of(begin, end, [&](const auto &each) {
          const auto got = image.bytes().subspan(each.second.offset, each.second.size);
          std::size_t run = 0;
          for (std::size_t i = 0; i < got.size() && got.size() == wanted->size(); ++i) {
            run = got[i] == (*wanted)[i] ? 0 : run + 1;
            if (run > (path == plain ? 0 : 4))
              return false;
          }
          return got.size() == wanted->size();
        });
        EXPECT_TRUE(has_bytes) << name;
        ++compared;
      }
      EXPECT_GT(compared, 0U) << library.path;
    }
  }
}

TEST_F(ImageElf, HasAPlainNameWhereOneAddressHasIt) {
  const auto symbols = symbols_in(open(packed));
  std::map<std::string, std::set<std::uint64_t>> addresses;
  for (const auto &[name, symbol] : symbols)
    if (const auto mark = name.find('!'); mark != name.npos && name.find('@') == name.npos)
      addresses[name.substr(mark + 1)].insert(symbol.offset);
  std::size_t several = 0;
  for (const auto &[name, at] : addresses) {
    ASSERT_EQ(symbols.count(name), at.size() == 1 ? 1U : 0U) << name;
    several += at.size() > 1 ? 1 : 0;
    if (at.size() == 1) {
      EXPECT_EQ(symbols.find(name)->second.offset, *at.begin()) << name;
      EXPECT_EQ(symbols.find(name)->second.binding, STB_GLOBAL) << name;
    }
  }
  EXPECT_GT(several, 0U) << "_init, at least";
  EXPECT_EQ(symbols.count("main"), 1U);
  EXPECT_EQ(symbols.find("malloc")->second.offset, symbols.find("libc.so.6!malloc")->second.offset);
}

TEST_F(ImageElf, HasSymbolsInSegmentsOfTheirKind) {
  for (const fs::path &path : {plain, packed}) {
    const ElfFile image = open(path);
    const auto sections = base::sections_in(image.bytes());
    for (const auto &[name, symbol] : symbols_in(image)) {
      ASSERT_LT(symbol.section, sections.size()) << name;
      const Elf64_Shdr &section = sections[symbol.section].header;
      EXPECT_EQ(section.sh_addr, section.sh_offset);
      EXPECT_GE(symbol.offset, section.sh_offset) << name;
      EXPECT_LT(symbol.offset, section.sh_offset + section.sh_size) << name;
      if (symbol.type == STT_FUNC)
        EXPECT_EQ(sections[symbol.section].name, ".text") << name;
    }
    std::uint64_t end = 0;
    for (const Segment &segment : image.segments()) {
      EXPECT_EQ(segment.address, segment.offset);
      EXPECT_NE(segment.protection.write, segment.protection.execute);
      end = std::max(end, segment.offset + segment.file_size);
    }
    for (const base::FileSection &section : sections)
      if (section.name == ".symtab" || section.name == ".strtab")
        EXPECT_GE(section.header.sh_offset, end) << "no start maps it";
  }
}

TEST_F(ImageElf, NotesEachLibrary) {
  const PrelinkImage program = image_of_program();
  for (const fs::path &path : {plain, packed}) {
    const ElfFile image = open(path);
    const auto notes = library_notes(image);
    ASSERT_EQ(notes.size(), program.libraries.size());
    for (std::size_t i = 0; i < notes.size(); ++i) {
      const Library &library = program.libraries[i];
      EXPECT_EQ(notes[i].path, library.path.string());
      EXPECT_EQ(notes[i].name, name_of(library));
      EXPECT_EQ(notes[i].build_id, library.file.build_id());
      ASSERT_EQ(notes[i].segments.size(), library.file.segments().size());
      for (std::size_t k = 0; path == plain && k < notes[i].segments.size(); ++k) {
        const auto &[offset, address, size] = notes[i].segments[k];
        const Segment &segment = library.file.segments()[k];
        EXPECT_EQ(address, segment.address);
        EXPECT_EQ(size, segment.file_size);
        if (!segment.protection.execute || library.is_stock_loader)
          continue;
        EXPECT_TRUE(std::ranges::equal(image.bytes().subspan(offset, size),
                                       *library.file.at(address, size)));
      }
    }
  }
  EXPECT_THAT(library_notes(program.libraries.front().file), IsEmpty());
}

TEST_F(ImageElf, HasCopiedFunctionsUnderNamesOfTheirOwn) {
  PrelinkImage image = image_of_program();
  std::string name;
  for (std::size_t i = 1; i < image.libraries.size(); ++i) {
    if (!image.libraries[i].unmovable.empty())
      continue;
    image.changes.packed.push_back(i);
    for (const Symbol &symbol : image.libraries[i].file.symbols())
      if (symbol.is_defined && symbol.name == "subject_call") {
        image.changes.copied.push_back({i, symbol.address});
        name = name_of(image.libraries[i]) + "!subject_call";
      }
  }
  ASSERT_EQ(image.changes.copied.size(), 1U);
  const fs::path path = folder->path() / "copied";
  const auto written = write_image(std::move(image), {.key = 1, .files = {}}, path);
  ASSERT_TRUE(written) << written.error().text();
  const ElfFile file = open(path);
  const auto symbols = symbols_in(file);
  for (const std::string &each : {std::string("subject_call"), name}) {
    ASSERT_EQ(symbols.count(each), 1U);
    ASSERT_EQ(symbols.count(each + ".copy"), 1U);
    const Found original = symbols.find(each)->second;
    const Found copy = symbols.find(each + ".copy")->second;
    EXPECT_NE(copy.offset, original.offset);
    EXPECT_EQ(copy.size, original.size);
    EXPECT_EQ(file.bytes()[copy.offset], file.bytes()[original.offset]);
  }
}

TEST_F(ImageElf, IsTheSameEachTime) {
  // Answers of `cpuid` contain the number of the processor.
  cpu_set_t before, one_processor;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one_processor);
  for (int i = 0; CPU_COUNT(&one_processor) == 0; ++i)
    if (CPU_ISSET(i, &before))
      CPU_SET(i, &one_processor);
  ASSERT_EQ(sched_setaffinity(0, sizeof one_processor, &one_processor), 0);
  const fs::path first = folder->path() / "first", again = folder->path() / "again";
  write(first, false);
  write(again, false);
  sched_setaffinity(0, sizeof before, &before);
  const ElfFile one = open(first);
  const ElfFile other = open(again);
  ASSERT_EQ(one.bytes().size(), other.bytes().size());
  EXPECT_TRUE(
      std::ranges::equal(one.bytes().first(format::page), other.bytes().first(format::page)));
  const auto sections = base::sections_in(one.bytes());
  const std::uint64_t tables =
      std::ranges::find(sections, ".symtab", &base::FileSection::name)->header.sh_offset;
  EXPECT_TRUE(std::ranges::equal(one.bytes().subspan(tables), other.bytes().subspan(tables)));
}

TEST_F(ImageElf, IsNotSoundIfAnyByteOfItsTablesIsChanged) {
  const ElfFile image = open(packed);
  const fs::path path = folder->path() / "changed.image";
  for (const base::FileSection &section : base::sections_in(image.bytes())) {
    if ((section.header.sh_flags & SHF_ALLOC) != 0 || section.header.sh_size == 0)
      continue;
    for (const std::uint64_t at :
         {section.header.sh_offset, section.header.sh_offset + section.header.sh_size - 1}) {
      std::vector<std::byte> bytes(image.bytes().begin(), image.bytes().end());
      bytes[at] ^= std::byte{4};
      std::ofstream(path, std::ios::binary)
          .write(reinterpret_cast<const char *>(bytes.data()),
                 static_cast<std::streamsize>(bytes.size()));
      const auto written = WrittenImage::read(path);
      ASSERT_TRUE(written);
      const auto checked = written->check();
      ASSERT_FALSE(checked) << section.name << at;
      EXPECT_THAT(checked.error().message, HasSubstr("ELF tables"));
    }
  }
  EXPECT_TRUE(WrittenImage::read(packed)->check());
}

TEST_F(ImageElf, OfAnObservableProgramHasOnlyWhatIsInIt) {
  PrelinkImage image = image_of_program();
  image.changes.is_observable = true;
  const fs::path path = folder->path() / "observable";
  ASSERT_TRUE(write_image(std::move(image), {.key = 1, .files = {}}, path));
  const ElfFile file = open(path);
  const auto symbols = symbols_in(file);
  EXPECT_EQ(symbols.count("libc.so.6!malloc"), 0U) << "its code is in its own file";
  for (const LibraryNote &note : library_notes(file))
    EXPECT_FALSE(note.build_id.empty()) << note.path;
  EXPECT_TRUE(WrittenImage::read(path)->check());
}

TEST(ImageElfHeader, StaysInTheFirstPage) {
  std::vector<format::Mapping> mappings;
  for (std::uint64_t i = 0; i < 200; ++i)
    mappings.push_back({.address = i * format::page,
                        .size = format::page,
                        .offset = format::huge_page + i * format::page,
                        .file = 0,
                        .protection = static_cast<std::uint32_t>(
                            PROT_READ | (i % 2 == 0 ? PROT_EXEC : PROT_WRITE)),
                        .flags = 0,
                        .checksum = 0});
  const std::uint64_t end = mappings.back().offset + format::page;
  for (const std::size_t count : {std::size_t{20}, mappings.size()}) {
    const auto file = symbols_of({.libraries = {}, .missing = {}}, {}, {},
                                 std::span(mappings).first(count), 1, end);
    EXPECT_LE(file.header.size(), format::page);
    std::vector<std::byte> bytes(end);
    std::ranges::copy(file.header, bytes.begin());
    bytes.insert(bytes.end(), file.tables.begin(), file.tables.end());
    const auto parsed = ElfFile::parse("image", std::move(bytes));
    ASSERT_TRUE(parsed) << parsed.error().text();
    EXPECT_EQ(parsed->segments().size(), count == 20 ? 20U : 1U);
    EXPECT_EQ(parsed->segments().front().address, format::huge_page);
    EXPECT_EQ(parsed->segments().back().address + parsed->segments().back().memory_size,
              mappings[count - 1].offset + format::page);
  }
}

} // namespace
} // namespace sartor::loader
