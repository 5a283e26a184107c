// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/decode/known_tables.h"

#include <elf.h>

namespace sartor::loader {

std::vector<CodeRange> known_tables(const ElfFile &file, const Unwinding &unwinding) {
  std::vector<CodeRange> tables = unwinding.places;
  const auto add = [&](std::uint64_t begin, std::uint64_t size) {
    if (size > 0 && size <= ~begin)
      tables.push_back({begin, begin + size});
  };
  const auto add_tagged = [&](std::uint64_t which, std::uint64_t size) {
    if (const auto begin = file.tag(which))
      add(*begin, size);
  };
  const std::uint64_t symbols = file.symbols().size();
  add_tagged(DT_SYMTAB, symbols * sizeof(Elf64_Sym));
  add_tagged(DT_VERSYM, symbols * sizeof(Elf64_Half));
  add_tagged(DT_STRTAB, file.tag(DT_STRSZ).value_or(0));
  add_tagged(DT_RELA, file.tag(DT_RELASZ).value_or(0));
  add_tagged(DT_JMPREL, file.tag(DT_PLTRELSZ).value_or(0));
  add_tagged(DT_RELR, file.tag(DT_RELRSZ).value_or(0));
  const std::uint64_t first = file.segments().front().address;
  add(first, sizeof(Elf64_Ehdr));
  add(first + file.program_headers_offset(), file.program_headers().size() * sizeof(Elf64_Phdr));
  for (const Elf64_Phdr &header : file.program_headers())
    if (header.p_type == PT_NOTE || header.p_type == PT_INTERP || header.p_type == PT_DYNAMIC)
      add(header.p_vaddr, header.p_memsz);
  return merged(std::move(tables));
}

} // namespace sartor::loader
