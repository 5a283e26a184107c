// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_EMITTED_RELOCATIONS_H
#define SARTOR_TEST_EMITTED_RELOCATIONS_H

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <set>

#include "loader/lib/file/data_bounds.h"
#include "section_headers.h"

namespace sartor::loader {

/// Places that hold the distance between something that moves with data and something that stays,
/// as recorded by a linker with `--emit-relocs`.
class EmittedRelocations {
public:
  explicit EmittedRelocations(const ElfFile &file)
      : file_(file), data_(file), sections_(section_headers(file)) {
    for (const Elf64_Shdr &section : sections_)
      if (section.sh_type == SHT_RELA && (section.sh_flags & SHF_ALLOC) == 0 &&
          (sections_.at(section.sh_info).sh_flags & SHF_ALLOC) != 0)
        read(section);
  }

  [[nodiscard]] const std::set<std::uint64_t> &crossing() const { return crossing_; }

private:
  void read(const Elf64_Shdr &table) {
    const Elf64_Shdr &symbol_table = sections_.at(table.sh_link);
    const auto symbols = entries_of<Elf64_Sym>(file_, symbol_table.sh_offset, symbol_table.sh_size);
    const bool is_code = (sections_.at(table.sh_info).sh_flags & SHF_EXECINSTR) != 0;
    for (const auto &each : entries_of<Elf64_Rela>(file_, table.sh_offset, table.sh_size))
      if (crosses(each, symbols.at(ELF64_R_SYM(each.r_info)), is_code))
        crossing_.insert(each.r_offset);
  }

  [[nodiscard]] bool crosses(const Elf64_Rela &relocation, const Elf64_Sym &symbol,
                             bool is_code) const {
    const bool from_data = data_.moves(relocation.r_offset);
    const bool to_data = symbol.st_shndx != SHN_UNDEF && data_.moves(symbol.st_value);
    switch (ELF64_R_TYPE(relocation.r_info)) {
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
    case R_X86_64_PC64:
      return from_data != to_data;
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
    case R_X86_64_TLSGD:
    case R_X86_64_TLSLD:
    case R_X86_64_GOTTPOFF:
    case R_X86_64_GOTPC32_TLSDESC: // in code, linkers may have found a shorter way
      return is_code ? data_.moves(target(relocation.r_offset)) : !from_data;
    case R_X86_64_GOTPC32:
    case R_X86_64_GOTPC64:
    case R_X86_64_GOTPCREL64:
      return !from_data;
    case R_X86_64_GOTOFF64: // relative to the global offset table
      return !to_data;
    case R_X86_64_PLTOFF64:
      return true;
    default:
      return false;
    }
  }
  [[nodiscard]] std::uint64_t target(std::uint64_t place) const {
    std::int32_t value = 0;
    std::memcpy(&value, file_.at(place, sizeof value).value().data(), sizeof value);
    return place + sizeof value + static_cast<std::uint64_t>(std::int64_t{value});
  }

  const ElfFile &file_;
  const DataBounds data_;
  const std::vector<Elf64_Shdr> sections_;
  std::set<std::uint64_t> crossing_;
};

} // namespace sartor::loader

#endif
