// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/image/image_symbols.h"

#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "loader/lib/file/named_symbols.h"

namespace sartor::loader {

namespace {

constexpr const char *suffix_of_copies = ".copy";

/// A symbol under its name alone.
struct Plain {
  Elf64_Sym entry;
  std::optional<Elf64_Sym> copy; ///< The function's copy.
  bool is_unique = true;
};

Elf64_Sym entry_of(const NamedSymbol &symbol, std::uint64_t offset, unsigned binding,
                   std::size_t name) {
  return {.st_name = static_cast<Elf64_Word>(name),
          .st_info = static_cast<unsigned char>(ELF64_ST_INFO(binding, symbol.type)),
          .st_other = STV_DEFAULT,
          .st_shndx = SHN_UNDEF,
          .st_value = offset,
          .st_size = symbol.size};
}

} // namespace

std::string name_of(const Library &library) {
  const auto &dynamic = library.file.dynamic();
  return dynamic && !dynamic->name.empty() ? dynamic->name : library.path.filename().string();
}

ImageSymbols image_symbols(const PrelinkImage &image, const FilePlaces &places,
                           std::span<const Copy> copies) {
  std::map<std::pair<std::size_t, std::uint64_t>, const Copy *> by_original;
  for (const Copy &copy : copies)
    by_original[{copy.library, copy.function.begin}] = &copy;

  ImageSymbols symbols{.entries = {Elf64_Sym{}}, .first_global = 0, .names = {'\0'}};
  std::vector<Plain> plain;
  std::unordered_map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < image.libraries.size(); ++i) {
    const std::string prefix = name_of(image.libraries[i]) + "!";
    for (const NamedSymbol &symbol : named_symbols(image.libraries[i].file)) {
      const auto offset = places.offset_of(i, symbol.address);
      if (!offset)
        continue;
      const std::size_t name = symbols.names.size();
      symbols.names.append(prefix).append(symbol.name);
      if (!symbol.version.empty())
        symbols.names.append("@").append(symbol.version);
      symbols.names.push_back('\0');
      symbols.entries.push_back(entry_of(symbol, *offset, STB_LOCAL, name));
      const auto copied = by_original.find({i, symbol.address});
      const auto copy = copied != by_original.end() ? places.offset_of(*copied->second)
                                                    : std::optional<std::uint64_t>();
      const std::size_t name_of_copy = symbols.names.size();
      if (copy) {
        symbols.names.append(prefix).append(symbol.name).append(suffix_of_copies);
        if (!symbol.version.empty())
          symbols.names.append("@").append(symbol.version);
        symbols.names.push_back('\0');
        symbols.entries.push_back(entry_of(symbol, *copy, STB_LOCAL, name_of_copy));
      }
      if (!symbol.version.empty())
        continue;
      const auto [known, is_new] = index.emplace(symbol.name, plain.size());
      if (is_new) { // the end of the longer name is this name
        plain.push_back({entry_of(symbol, *offset, STB_GLOBAL, name + prefix.size()), {}});
        if (copy)
          plain.back().copy = entry_of(symbol, *copy, STB_GLOBAL, name_of_copy + prefix.size());
      } else if (plain[known->second].entry.st_value != *offset)
        plain[known->second].is_unique = false;
    }
  }
  symbols.first_global = static_cast<std::uint32_t>(symbols.entries.size());
  for (const Plain &each : plain) {
    if (!each.is_unique)
      continue;
    symbols.entries.push_back(each.entry);
    if (each.copy)
      symbols.entries.push_back(*each.copy);
  }
  return symbols;
}

} // namespace sartor::loader
