// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prune/names.h"

#include <algorithm>

#include <elf.h>

namespace sartor::prune {

namespace {

using Names = std::unordered_set<std::string_view>;

bool may_be_in_name(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= '0' && byte <= '9') || byte == '_' || byte == '$' || byte == '.';
}

/// Finds zero-terminated names. Linkers let a string be the end of another.
void find(std::string_view text, const Names &names, std::size_t longest, Names &found) {
  for (std::size_t end = text.find('\0'); end != std::string_view::npos;
       end = text.find('\0', end + 1))
    for (std::size_t size = 1; size <= std::min(longest, end) && may_be_in_name(text[end - size]);
         ++size)
      if (const auto name = names.find(text.substr(end - size, size)); name != names.end())
        found.insert(*name);
}

} // namespace

Names names_in_use(const std::vector<Library> &libraries) {
  Names exported, used;
  std::size_t longest = 0;
  for (const Library &library : libraries)
    for (const sartor_library_symbol &symbol : library.symbols())
      if (symbol.is_defined != 0)
        longest = std::max(longest, exported.insert(symbol.name).first->size());
  for (const Library &library : libraries) {
    for (const sartor_relocation &relocation : library.relocations())
      if (relocation.symbol != 0 && relocation.symbol < library.symbols().size())
        used.insert(library.symbols()[relocation.symbol].name);
    const auto names = library.tag(DT_STRTAB); // contains all names, used or not
    for (const Segment &segment : library.segments()) {
      const std::string_view text(reinterpret_cast<const char *>(segment.bytes.data()),
                                  segment.bytes.size());
      if (names && segment.range.holds(*names)) {
        const std::size_t at = *names - segment.range.begin;
        find(text.substr(0, at), exported, longest, used);
        find(text.substr(std::min(text.size(), at + library.tag(DT_STRSZ).value_or(0))), exported,
             longest, used);
      } else {
        find(text, exported, longest, used);
      }
    }
  }
  return used;
}

} // namespace sartor::prune
