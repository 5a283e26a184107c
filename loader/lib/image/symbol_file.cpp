// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/image/symbol_file.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>

#include <elf.h>
#include <sys/mman.h>

#include "loader/lib/image/file_places.h"
#include "loader/lib/image/image_notes.h"
#include "loader/lib/image/image_symbols.h"
#include "loader/lib/image/written_image.h"

namespace sartor::loader {

namespace {

/// Lets profilers distinguish an image from a later one.
struct BuildId {
  Elf64_Nhdr header{.n_namesz = 4, .n_descsz = sizeof id, .n_type = NT_GNU_BUILD_ID};
  std::array<char, 4> name{'G', 'N', 'U', '\0'};
  std::array<std::uint64_t, 2> id;
};

/// Returns a checksum of the mappings' contents and addresses.
std::uint64_t sum_of(std::span<const format::Mapping> mappings) {
  format::Checksum sum;
  for (const format::Mapping &mapping : mappings)
    for (const std::uint64_t word :
         {mapping.address, mapping.size, mapping.offset, std::uint64_t{mapping.protection},
          std::uint64_t{mapping.flags}, mapping.checksum})
      sum.add(word);
  return sum.value();
}

template <class T> void append(std::vector<std::byte> &to, const T *from, std::size_t count) {
  const auto *bytes = reinterpret_cast<const std::byte *>(from);
  to.insert(to.end(), bytes, bytes + count * sizeof(T));
}

/// A part of the file that is mapped.
struct Load {
  std::uint64_t begin, end;
  bool is_writable;
};

/// The kernel reads build ids of files whose program headers are all in the first page.
constexpr std::size_t most_loads = 64;

/// Returns the parts of the file that are mapped, by offset. Tools find uprobes in executable ones
/// and semaphores in others. Very many are one, as a whole.
std::vector<Load> loads_of(const FilePlaces &places) {
  std::vector<Load> loads;
  for (const format::Mapping &mapping : places.by_offset()) {
    const bool is_writable = (mapping.protection & PROT_WRITE) != 0;
    const std::uint64_t end = mapping.offset + mapping.size;
    if (!loads.empty() && loads.back().end == mapping.offset &&
        loads.back().is_writable == is_writable)
      loads.back().end = end;
    else
      loads.push_back({mapping.offset, end, is_writable});
  }
  if (loads.size() > most_loads)
    loads = {{loads.front().begin, loads.back().end, false}};
  return loads;
}

/// Composes the file. Addresses are offsets in the file, so that tools find names for any mapping
/// of a part of it.
class Writer {
public:
  explicit Writer(std::uint64_t at) : at_(at) {}

  void add_loads(const std::vector<Load> &loads);
  void add_build_id(std::span<const format::Mapping> mappings, std::uint64_t key);
  void add_symbols(ImageSymbols symbols, const std::vector<Load> &loads);
  void add_notes(const PrelinkImage &image, const FilePlaces &places);
  SymbolFile finish();

private:
  Elf64_Shdr &add_section(std::string_view name, const Elf64_Shdr &header);
  /// Adds a section of the tables.
  template <class T>
  Elf64_Shdr &add_table(std::string_view name, Elf64_Word type, const T *content, std::size_t count,
                        Elf64_Xword alignment);
  void align() { file_.tables.resize((file_.tables.size() + 7) / 8 * 8); }
  /// Returns the offset of what is added to the header next.
  [[nodiscard]] std::uint64_t next_in_header() const {
    return sizeof(Elf64_Ehdr) + headers_.size() * sizeof(Elf64_Phdr) + behind_headers_.size();
  }

  const std::uint64_t at_;
  SymbolFile file_;
  std::vector<Elf64_Phdr> headers_;
  std::vector<std::byte> behind_headers_;
  std::vector<Elf64_Shdr> sections_{{}};
  std::string section_names_ = std::string(1, '\0');
};

Elf64_Shdr &Writer::add_section(std::string_view name, const Elf64_Shdr &header) {
  Elf64_Shdr &section = sections_.emplace_back(header);
  section.sh_name = static_cast<Elf64_Word>(section_names_.size());
  section_names_.append(name).push_back('\0');
  return section;
}

template <class T>
Elf64_Shdr &Writer::add_table(std::string_view name, Elf64_Word type, const T *content,
                              std::size_t count, Elf64_Xword alignment) {
  align();
  Elf64_Shdr header{};
  header.sh_type = type;
  header.sh_offset = at_ + file_.tables.size();
  header.sh_size = count * sizeof(T);
  header.sh_addralign = alignment;
  append(file_.tables, content, count);
  return add_section(name, header);
}

void Writer::add_loads(const std::vector<Load> &loads) {
  for (const Load &load : loads) {
    const std::uint64_t size = load.end - load.begin;
    headers_.push_back({.p_type = PT_LOAD,
                        .p_flags = static_cast<Elf64_Word>(PF_R | (load.is_writable ? PF_W : PF_X)),
                        .p_offset = load.begin,
                        .p_vaddr = load.begin,
                        .p_paddr = load.begin,
                        .p_filesz = size,
                        .p_memsz = size,
                        .p_align = format::page});
    add_section(load.is_writable ? ".data" : ".text",
                {.sh_name = 0,
                 .sh_type = SHT_PROGBITS,
                 .sh_flags = static_cast<Elf64_Xword>(
                     SHF_ALLOC | (load.is_writable ? SHF_WRITE : SHF_EXECINSTR)),
                 .sh_addr = load.begin,
                 .sh_offset = load.begin,
                 .sh_size = size,
                 .sh_link = 0,
                 .sh_info = 0,
                 .sh_addralign = format::page,
                 .sh_entsize = 0});
  }
}

void Writer::add_build_id(std::span<const format::Mapping> mappings, std::uint64_t key) {
  headers_.emplace_back();
  const std::uint64_t at = next_in_header();
  headers_.back() = {.p_type = PT_NOTE,
                     .p_flags = PF_R,
                     .p_offset = at,
                     .p_vaddr = at,
                     .p_paddr = at,
                     .p_filesz = sizeof(BuildId),
                     .p_memsz = sizeof(BuildId),
                     .p_align = 4};
  const BuildId id{.id = {sum_of(mappings), key}};
  append(behind_headers_, &id, 1);
  Elf64_Shdr header{};
  header.sh_type = SHT_NOTE;
  header.sh_offset = at;
  header.sh_size = sizeof id;
  header.sh_addralign = 4;
  add_section(".note.gnu.build-id", header);
}

/// The loads' sections are the first ones.
void Writer::add_symbols(ImageSymbols symbols, const std::vector<Load> &loads) {
  for (Elf64_Sym &each : std::span(symbols.entries).subspan(1)) {
    const auto after = std::ranges::upper_bound(loads, each.st_value, {}, &Load::begin);
    each.st_shndx = static_cast<Elf64_Section>(after - loads.begin());
  }
  Elf64_Shdr &table =
      add_table(".symtab", SHT_SYMTAB, symbols.entries.data(), symbols.entries.size(), 8);
  table.sh_entsize = sizeof symbols.entries[0];
  table.sh_info = symbols.first_global;
  table.sh_link = static_cast<Elf64_Word>(sections_.size());
  add_table(".strtab", SHT_STRTAB, symbols.names.data(), symbols.names.size(), 1);
}

void Writer::add_notes(const PrelinkImage &image, const FilePlaces &places) {
  const auto libraries = write_library_notes(image, places);
  add_table(library_notes_section, SHT_NOTE, libraries.data(), libraries.size(), 4);
  const std::uint64_t base = next_in_header();
  const ProbeNotes probes = write_probe_notes(image, places, base);
  if (probes.notes.empty())
    return;
  Elf64_Shdr header{};
  header.sh_type = SHT_PROGBITS;
  header.sh_addr = base;
  header.sh_offset = base;
  header.sh_size = 1;
  header.sh_addralign = 1;
  add_section(".stapsdt.base", header);
  behind_headers_.resize(behind_headers_.size() + sizeof(std::uint64_t));
  if (probes.first_semaphore != 0) {
    // A part of the data. bcc takes the distance of offset and address from it, and expects it
    // before the notes.
    header.sh_flags = SHF_ALLOC | SHF_WRITE;
    header.sh_addr = probes.first_semaphore;
    header.sh_offset = probes.first_semaphore;
    header.sh_size = probes.last_semaphore + sizeof(std::uint16_t) - probes.first_semaphore;
    add_section(".probes", header);
  }
  add_table(".note.stapsdt", SHT_NOTE, probes.notes.data(), probes.notes.size(), 4);
}

SymbolFile Writer::finish() {
  align();
  const std::uint64_t of_names = at_ + file_.tables.size();
  Elf64_Shdr &names = add_section(".shstrtab", {});
  names.sh_type = SHT_STRTAB;
  names.sh_offset = of_names;
  names.sh_size = section_names_.size();
  names.sh_addralign = 1;
  append(file_.tables, section_names_.data(), section_names_.size());
  align();
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_ident[EI_OSABI] = ELFOSABI_GNU; // has indirect functions
  header.e_type = ET_DYN;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_phoff = sizeof header;
  header.e_shoff = at_ + file_.tables.size();
  header.e_ehsize = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = static_cast<Elf64_Half>(headers_.size());
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<Elf64_Half>(sections_.size());
  header.e_shstrndx = static_cast<Elf64_Half>(sections_.size() - 1);
  append(file_.header, &header, 1);
  append(file_.header, headers_.data(), headers_.size());
  append(file_.header, behind_headers_.data(), behind_headers_.size());
  append(file_.tables, sections_.data(), sections_.size());
  return std::move(file_);
}

} // namespace

SymbolFile symbols_of(const PrelinkImage &image, const Layout &layout, std::span<const Copy> copies,
                      std::span<const format::Mapping> mappings, std::uint64_t key,
                      std::uint64_t at) {
  const FilePlaces places(image, layout, mappings);
  const std::vector<Load> loads = loads_of(places);
  Writer writer(at);
  writer.add_loads(loads);
  writer.add_build_id(mappings, key);
  writer.add_symbols(image_symbols(image, places, copies), loads);
  writer.add_notes(image, places);
  return writer.finish();
}

std::uint64_t checksum_of(const SymbolFile &file) {
  format::Checksum sum;
  sum.add(checksum_of(file.header, format::page));
  sum.add(checksum_of(file.tables, file.tables.size()));
  return sum.value();
}

} // namespace sartor::loader
