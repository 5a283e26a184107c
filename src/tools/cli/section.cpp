// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/section.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>

#include <elf.h>

#include "core/space/guard_section.h"

namespace sartor::cli {

namespace {

Failure broken(const std::string &path, const std::string &what) {
  return {ErrorCode::bad_elf, path, what, "build the program again"};
}

template <class T> bool take(std::string_view bytes, std::uint64_t at, T &value) {
  if (at > bytes.size() || bytes.size() - at < sizeof value)
    return false;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return true;
}

std::optional<std::string_view> part(std::string_view bytes, const Elf64_Shdr &section) {
  if (section.sh_offset > bytes.size() || section.sh_size > bytes.size() - section.sh_offset)
    return std::nullopt;
  return bytes.substr(section.sh_offset, section.sh_size);
}

/// Returns the contents of a section; empty if the file has none.
Result<std::string_view> section_of(std::string_view bytes, const std::string &path,
                                    const UnloadedSection &kind) {
  Elf64_Ehdr header;
  if (!take(bytes, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64)
    return std::unexpected(Failure{ErrorCode::bad_elf, path, "is no ELF file of 64 bits",
                                   "name a program, shared library or object file"});
  if (header.e_shnum == 0)
    return std::string_view();
  const auto header_at = [&](std::uint64_t index, Elf64_Shdr &section) {
    return take(bytes, header.e_shoff + index * sizeof section, section);
  };
  Elf64_Shdr section;
  if (header.e_shentsize != sizeof section || !header_at(header.e_shstrndx, section))
    return std::unexpected(broken(path, "its section headers are damaged"));
  const auto names = part(bytes, section);
  if (!names)
    return std::unexpected(broken(path, "its section names are damaged"));
  const std::string wanted = std::string(kind.name) + '\0';
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    if (!header_at(i, section))
      return std::unexpected(broken(path, "its section headers are damaged"));
    if (section.sh_type != SHT_PROGBITS || section.sh_name >= names->size() ||
        !names->substr(section.sh_name).starts_with(wanted))
      continue;
    if (const auto contents = part(bytes, section))
      return *contents;
    return std::unexpected(broken(path, std::string(kind.what) + " is cut short"));
  }
  return std::string_view();
}

} // namespace

Failure damaged(const std::string &path, const UnloadedSection &section) {
  return broken(path, std::string(section.what) + " is damaged");
}

Result<std::vector<std::string>> pieces_of(const std::string &path,
                                           const UnloadedSection &section) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file)
    return std::unexpected(
        Failure{ErrorCode::file_error, path, "cannot be read", "name a program or shared library"});
  const auto contents = section_of(bytes, path, section);
  if (!contents)
    return std::unexpected(contents.error());
  std::vector<std::string> pieces;
  for (std::string_view rest = *contents; !rest.empty();) {
    std::uint64_t size = 0;
    if (!rest.starts_with(section.magic) || !take(rest, section.magic.size(), size) ||
        size > rest.size() - core::kGuardHeaderSize)
      return std::unexpected(damaged(path, section));
    pieces.emplace_back(rest.substr(core::kGuardHeaderSize, size));
    rest.remove_prefix(
        std::min<std::uint64_t>(rest.size(), core::kGuardHeaderSize + (size + 7) / 8 * 8));
  }
  return pieces;
}

} // namespace sartor::cli
