// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/file/named_symbols.h"

#include <set>
#include <tuple>

#include <elf.h>

#include "base/file/elf_sections.h"

namespace sartor::loader {

namespace {

constexpr bool has_bytes(unsigned type) {
  return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_OBJECT;
}

/// Linkers write `name@version` and, for the default version, `name@@version` into the table for
/// debuggers.
NamedSymbol symbol_of(std::string_view text, const Elf64_Sym &entry) {
  const auto at = text.find('@');
  const bool is_default = at == text.npos || text.substr(at).starts_with("@@");
  return {.name = text.substr(0, at),
          .version = is_default ? std::string_view() : text.substr(at + 1),
          .address = entry.st_value,
          .size = entry.st_size,
          .type = static_cast<std::uint8_t>(ELF64_ST_TYPE(entry.st_info))};
}

} // namespace

std::vector<NamedSymbol> named_symbols(const ElfFile &file) {
  std::vector<NamedSymbol> symbols;
  std::set<std::tuple<std::string_view, std::string_view, std::uint64_t>> known;
  const auto add = [&](const NamedSymbol &symbol) {
    if (!symbol.name.empty() && known.emplace(symbol.name, symbol.version, symbol.address).second)
      symbols.push_back(symbol);
  };
  for (const Symbol &symbol : file.symbols())
    if (symbol.is_defined && has_bytes(symbol.type))
      add({.name = symbol.name,
           .version = symbol.is_default_version ? std::string_view() : symbol.version,
           .address = symbol.address,
           .size = symbol.size,
           .type = symbol.type});
  const std::vector<base::FileSection> sections = base::sections_in(file.bytes());
  for (const base::FileSection &table : sections) {
    if (table.header.sh_type != SHT_SYMTAB || table.header.sh_link >= sections.size())
      continue;
    const auto names = sections[table.header.sh_link].content;
    for (std::uint64_t i = 0; const auto entry = base::entry_of<Elf64_Sym>(table.content, i); ++i)
      if (entry->st_shndx != SHN_UNDEF && entry->st_shndx != SHN_ABS &&
          has_bytes(ELF64_ST_TYPE(entry->st_info)))
        add(symbol_of(base::text_at(names, entry->st_name), *entry));
  }
  return symbols;
}

} // namespace sartor::loader
