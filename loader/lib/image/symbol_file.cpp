// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/image/symbol_file.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <elf.h>
#include <sys/mman.h>

namespace sartor::loader {

namespace {

constexpr std::string_view
    section_names("\0.text\0.symtab\0.strtab\0.shstrtab\0.note.gnu.build-id\0", 52);
enum SectionName : std::uint32_t { text = 1, symtab = 7, strtab = 15, shstrtab = 23, note = 33 };

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

/// Returns the offset of an arena's address in the image file; 0 if it is not in the file.
std::uint64_t offset_of(std::uint64_t address, std::span<const format::Mapping> mappings) {
  for (const format::Mapping &mapping : mappings)
    if ((mapping.flags & (format::zeros | format::of_file)) == 0 && address >= mapping.address &&
        address - mapping.address < mapping.size)
      return mapping.offset + (address - mapping.address);
  return 0;
}

/// A function in a file.
struct Function {
  std::string_view name;
  std::uint64_t address;
  std::uint64_t size;
};

/// Returns one entry of a table in a file; nothing if it lies outside.
template <class T>
std::optional<T> entry_of(std::span<const std::byte> file, std::uint64_t offset,
                          std::uint64_t index) {
  if (offset > file.size() || index >= (file.size() - offset) / sizeof(T))
    return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + offset + index * sizeof value, sizeof value);
  return value;
}

/// Reads the symbol table for debuggers, if it has not been stripped: it is larger than the dynamic
/// one.
std::vector<Function> unstripped_functions(const ElfFile &file) {
  std::vector<Function> functions;
  const auto bytes = file.bytes();
  const auto header = *entry_of<Elf64_Ehdr>(bytes, 0, 0);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const auto table = entry_of<Elf64_Shdr>(bytes, header.e_shoff, i);
    if (!table || table->sh_type != SHT_SYMTAB)
      continue;
    const auto names = entry_of<Elf64_Shdr>(bytes, header.e_shoff, table->sh_link);
    if (!names || names->sh_offset > bytes.size())
      continue;
    const std::string_view text(reinterpret_cast<const char *>(bytes.data()) + names->sh_offset,
                                std::min(names->sh_size, bytes.size() - names->sh_offset));
    for (std::uint64_t s = 0; s < table->sh_size / sizeof(Elf64_Sym); ++s) {
      const auto symbol = entry_of<Elf64_Sym>(bytes, table->sh_offset, s);
      if (!symbol)
        break;
      if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF ||
          symbol->st_name >= text.size())
        continue;
      const auto rest = text.substr(symbol->st_name);
      functions.push_back({rest.substr(0, rest.find('\0')), symbol->st_value, symbol->st_size});
    }
  }
  return functions;
}

std::vector<Function> functions_of(const ElfFile &file) {
  std::vector<Function> functions = unstripped_functions(file);
  if (functions.empty())
    for (const Symbol &symbol : file.symbols())
      if (symbol.is_defined && (symbol.type == STT_FUNC || symbol.type == STT_GNU_IFUNC))
        functions.push_back({symbol.name, symbol.address, symbol.size});
  return functions;
}

void append(std::vector<std::byte> &to, const void *from, std::size_t size) {
  const auto *bytes = static_cast<const std::byte *>(from);
  to.insert(to.end(), bytes, bytes + size);
}

} // namespace

/// Addresses are offsets in the file, so that tools find names for any mapping of a part of it.
SymbolFile symbols_of(const PrelinkImage &image, const Layout &layout, std::span<const Copy> copies,
                      std::span<const format::Mapping> mappings, std::uint64_t key,
                      std::uint64_t at) {
  std::vector<Elf64_Sym> symbols(1);
  std::string names(1, '\0');
  const auto add = [&](const Function &function, std::uint64_t address) {
    const std::uint64_t offset = offset_of(address, mappings);
    if (offset == 0)
      return;
    Elf64_Sym entry{};
    entry.st_name = static_cast<Elf64_Word>(names.size());
    entry.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    entry.st_shndx = 1;
    entry.st_value = offset;
    entry.st_size = function.size;
    symbols.push_back(entry);
    names.append(function.name).push_back('\0');
  };
  std::map<std::pair<std::size_t, std::uint64_t>, const Copy *> by_original;
  for (const Copy &copy : copies)
    by_original[{copy.library, copy.function.begin}] = &copy;
  for (std::size_t i = 0; i < image.libraries.size(); ++i) {
    const Place &place = layout.places[i];
    if (!place.is_known)
      continue;
    for (const Function &function : functions_of(image.libraries[i].file)) {
      add(function, place.base + function.address);
      if (const auto copy = by_original.find({i, function.address}); copy != by_original.end())
        add(function, layout.copies + copy->second->offset);
    }
  }
  SymbolFile file;
  const std::uint64_t of_symbols = at;
  append(file.tables, symbols.data(), symbols.size() * sizeof symbols[0]);
  const std::uint64_t of_names = at + file.tables.size();
  append(file.tables, names.data(), names.size());
  const std::uint64_t of_section_names = at + file.tables.size();
  append(file.tables, section_names.data(), section_names.size());
  file.tables.resize((file.tables.size() + 7) / 8 * 8);

  const std::uint64_t code = format::huge_page;
  std::array<Elf64_Shdr, 6> sections{};
  sections[1] = {.sh_name = text,
                 .sh_type = SHT_PROGBITS,
                 .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                 .sh_addr = code,
                 .sh_offset = code,
                 .sh_size = at - code,
                 .sh_link = 0,
                 .sh_info = 0,
                 .sh_addralign = 1,
                 .sh_entsize = 0};
  sections[2] = {.sh_name = symtab,
                 .sh_type = SHT_SYMTAB,
                 .sh_flags = 0,
                 .sh_addr = 0,
                 .sh_offset = of_symbols,
                 .sh_size = symbols.size() * sizeof symbols[0],
                 .sh_link = 3,
                 .sh_info = 1,
                 .sh_addralign = 8,
                 .sh_entsize = sizeof symbols[0]};
  sections[3] = {.sh_name = strtab,
                 .sh_type = SHT_STRTAB,
                 .sh_flags = 0,
                 .sh_addr = 0,
                 .sh_offset = of_names,
                 .sh_size = names.size(),
                 .sh_link = 0,
                 .sh_info = 0,
                 .sh_addralign = 1,
                 .sh_entsize = 0};
  sections[4] = sections[3];
  sections[4].sh_name = shstrtab;
  sections[4].sh_offset = of_section_names;
  sections[4].sh_size = section_names.size();
  const std::uint64_t of_note = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr);
  sections[5] = {.sh_name = note,
                 .sh_type = SHT_NOTE,
                 .sh_flags = 0,
                 .sh_addr = 0,
                 .sh_offset = of_note,
                 .sh_size = sizeof(BuildId),
                 .sh_link = 0,
                 .sh_info = 0,
                 .sh_addralign = 4,
                 .sh_entsize = 0};

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_phoff = sizeof header;
  header.e_shoff = at + file.tables.size();
  header.e_ehsize = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 2;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = sections.size();
  header.e_shstrndx = 4;
  const Elf64_Phdr segment = {.p_type = PT_LOAD,
                              .p_flags = PF_R | PF_X,
                              .p_offset = code,
                              .p_vaddr = code,
                              .p_paddr = code,
                              .p_filesz = at - code,
                              .p_memsz = at - code,
                              .p_align = format::page};
  append(file.header, &header, sizeof header);
  append(file.header, &segment, sizeof segment);
  const Elf64_Phdr notes = {.p_type = PT_NOTE,
                            .p_flags = PF_R,
                            .p_offset = of_note,
                            .p_vaddr = of_note,
                            .p_paddr = of_note,
                            .p_filesz = sizeof(BuildId),
                            .p_memsz = sizeof(BuildId),
                            .p_align = 4};
  append(file.header, &notes, sizeof notes);
  const BuildId id{.id = {sum_of(mappings), key}};
  append(file.header, &id, sizeof id);
  append(file.tables, sections.data(), sections.size() * sizeof sections[0]);
  return file;
}

} // namespace sartor::loader
