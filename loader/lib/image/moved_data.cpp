// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/image/moved_data.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <elf.h>

#include "loader/lib/format/image_format.h"

namespace sartor::loader {

namespace {

bool is_address(std::int64_t tag) {
  switch (tag) {
  case DT_PLTGOT:
  case DT_HASH:
  case DT_GNU_HASH:
  case DT_STRTAB:
  case DT_SYMTAB:
  case DT_RELA:
  case DT_JMPREL:
  case DT_RELR:
  case DT_INIT:
  case DT_FINI:
  case DT_INIT_ARRAY:
  case DT_FINI_ARRAY:
  case DT_PREINIT_ARRAY:
  case DT_VERSYM:
  case DT_VERDEF:
  case DT_VERNEED:
  case DT_TLSDESC_PLT:
  case DT_TLSDESC_GOT:
    return true;
  default:
    return false;
  }
}

/// Moves the data of one library.
class Mover {
public:
  Mover(const ElfFile &file, LibraryMemory &memory, std::int64_t delta)
      : file_(file), memory_(memory), delta_(static_cast<std::uint64_t>(delta)) {}

  void move(const std::vector<std::uint64_t> &references) {
    const Elf64_Phdr *dynamic = file_.program_header(PT_DYNAMIC);
    require(dynamic != nullptr, "has no dynamic section");
    dynamic_ = *dynamic;
    require(dynamic_.p_memsz >= sizeof(Elf64_Dyn) &&
                !memory_.at(dynamic_.p_vaddr, dynamic_.p_memsz).empty(),
            "its dynamic section lies outside of it");
    for (const std::uint64_t place : references)
      move_displacement(place);
    move_packed_relocations();
    move_relocations(DT_RELA, DT_RELASZ);
    if (!is_within_other_relocations())
      move_relocations(DT_JMPREL, DT_PLTRELSZ);
    move_symbols();
    move_program_headers();
    keep_dynamic_section();
  }

private:
  template <class T> T read(std::uint64_t address) {
    T value;
    const auto from = memory_.at(address, sizeof value);
    require(!from.empty(), "a table lies outside of it");
    std::memcpy(&value, from.data(), sizeof value);
    return value;
  }
  template <class T> void write(std::uint64_t address, const T &value) {
    std::memcpy(memory_.at(address, sizeof value).data(), &value, sizeof value);
  }
  void require(bool condition, const char *what) const {
    if (!condition)
      throw Failure{ErrorCode::bad_plan, file_.name(), what,
                    "its data stays where the file has it"};
  }
  [[nodiscard]] bool is_dynamic(std::uint64_t address) const {
    return address >= dynamic_.p_vaddr && address - dynamic_.p_vaddr < dynamic_.p_memsz;
  }
  [[nodiscard]] std::uint64_t moved(std::uint64_t address) const {
    return memory_.is_data(address) && !is_dynamic(address) ? address + delta_ : address;
  }

  void move_displacement(std::uint64_t place) {
    const auto displacement =
        std::int64_t{read<std::int32_t>(place)} + static_cast<std::int64_t>(delta_);
    require(std::in_range<std::int32_t>(displacement), "data would be out of reach of code");
    write(place, static_cast<std::int32_t>(displacement));
  }
  /// Moves words of addresses and the bit maps that follow them.
  void move_packed_relocations() {
    const auto table = file_.tag(DT_RELR);
    if (!table)
      return;
    const std::uint64_t count = file_.tag(DT_RELRSZ).value_or(0) / 8;
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto entry = read<std::uint64_t>(*table + 8 * i);
      if ((entry & 1) == 0)
        write(*table + 8 * i, moved(entry));
    }
    for (const Relocation &relocation : file_.packed_relocations())
      write(relocation.address, moved(read<std::uint64_t>(relocation.address)));
  }
  [[nodiscard]] bool is_within_other_relocations() const {
    const auto all = file_.tag(DT_RELA), some = file_.tag(DT_JMPREL);
    return all && some && *some >= *all && *some < *all + file_.tag(DT_RELASZ).value_or(0);
  }
  void move_relocations(std::uint64_t which, std::uint64_t which_size) {
    const auto table = file_.tag(which);
    if (!table)
      return;
    const std::uint64_t count = file_.tag(which_size).value_or(0) / sizeof(Elf64_Rela);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t at = *table + i * sizeof(Elf64_Rela);
      auto entry = read<Elf64_Rela>(at);
      entry.r_offset = moved(entry.r_offset);
      if (const auto type = ELF64_R_TYPE(entry.r_info);
          type == R_X86_64_RELATIVE || type == R_X86_64_IRELATIVE)
        entry.r_addend =
            static_cast<std::int64_t>(moved(static_cast<std::uint64_t>(entry.r_addend)));
      write(at, entry);
    }
  }
  void move_symbols() {
    const auto table = file_.tag(DT_SYMTAB);
    for (std::size_t i = 0; table && i < file_.symbols().size(); ++i) {
      const std::uint64_t at = *table + i * sizeof(Elf64_Sym);
      auto symbol = read<Elf64_Sym>(at);
      if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS ||
          ELF64_ST_TYPE(symbol.st_info) == STT_TLS)
        continue;
      symbol.st_value = moved(symbol.st_value);
      write(at, symbol);
    }
  }
  void keep_dynamic_section();
  void move_program_headers();
  [[nodiscard]] std::uint64_t last_readonly() const {
    std::uint64_t last = 0;
    for (const Segment &segment : file_.segments())
      if (!segment.protection.write)
        last = segment.address;
    return last;
  }

  const ElfFile &file_;
  LibraryMemory &memory_;
  const std::uint64_t delta_;
  Elf64_Phdr dynamic_{};
};

/// Keeps the dynamic section at the file's position, though data moves: debuggers use it to locate
/// a library.
void Mover::keep_dynamic_section() {
  std::vector<Elf64_Dyn> entries(dynamic_.p_memsz / sizeof(Elf64_Dyn));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i] = read<Elf64_Dyn>(dynamic_.p_vaddr + i * sizeof(Elf64_Dyn));
    if (is_address(entries[i].d_tag))
      entries[i].d_un.d_ptr = moved(entries[i].d_un.d_ptr);
  }
  const std::uint64_t end = dynamic_.p_vaddr + dynamic_.p_memsz - memory_.begin;
  if (end > memory_.readonly.size())
    memory_.readonly.resize(format::up(end));
  std::memcpy(memory_.readonly.data() + (dynamic_.p_vaddr - memory_.begin), entries.data(),
              entries.size() * sizeof(Elf64_Dyn));
}

void Mover::move_program_headers() {
  const std::uint64_t table = memory_.begin + file_.program_headers_offset();
  for (std::size_t i = 0; i < file_.program_headers().size(); ++i) {
    const std::uint64_t at = table + i * sizeof(Elf64_Phdr);
    auto header = read<Elf64_Phdr>(at);
    switch (header.p_type) {
    case PT_LOAD:
      header.p_align = format::page;
      if ((header.p_flags & PF_W) != 0) {
        header.p_vaddr += delta_;
        header.p_paddr += delta_;
      } else if (header.p_vaddr == last_readonly()) {
        const std::uint64_t end = dynamic_.p_vaddr + dynamic_.p_memsz;
        header.p_memsz = header.p_filesz = std::max(header.p_memsz, end - header.p_vaddr);
      }
      break;
    case PT_DYNAMIC:
      header.p_flags = PF_R; // the stock loader then does not change it
      break;
    case PT_GNU_RELRO:
    case PT_TLS:
      header.p_vaddr = moved(header.p_vaddr);
      header.p_paddr = moved(header.p_paddr);
      break;
    default:
      break;
    }
    write(at, header);
  }
}

} // namespace

Result<void> move_data(const ElfFile &file, LibraryMemory &memory,
                       const std::vector<std::uint64_t> &references, std::int64_t delta) {
  try {
    Mover(file, memory, delta).move(references);
  } catch (Failure &failure) {
    return std::unexpected(std::move(failure));
  }
  return {};
}

} // namespace sartor::loader
