// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/section.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#include <elf.h>

#include "base/file/elf_sections.h"
#include "base/file/regular_file.h"
#include "core/space/guard_section.h"

namespace sartor::cli {

namespace {

Failure broken(const std::string &path, const std::string &what) {
  return {ErrorCode::bad_elf, path, what, "build the program again"};
}

/// Returns the contents of a section; empty if the file has none.
Result<std::string_view> section_of(std::string_view bytes, const std::string &path,
                                    const UnloadedSection &kind) {
  const auto file = std::as_bytes(std::span(bytes));
  const auto header = base::elf_header_of(file);
  if (!header)
    return std::unexpected(Failure{ErrorCode::bad_elf, path, "is no ELF file of 64 bits",
                                   "name a program, shared library or object file"});
  const auto sections = base::sections_in(file);
  if (sections.empty() && header->e_shnum != 0)
    return std::unexpected(broken(path, "its section headers are damaged"));
  for (const base::FileSection &section : sections) {
    if (section.header.sh_type != SHT_PROGBITS || section.name != kind.name)
      continue;
    if (section.content.size() != section.header.sh_size)
      return std::unexpected(broken(path, std::string(kind.what) + " is cut short"));
    return bytes.substr(section.header.sh_offset, section.header.sh_size);
  }
  return std::string_view();
}

} // namespace

Failure damaged(const std::string &path, const UnloadedSection &section) {
  return broken(path, std::string(section.what) + " is damaged");
}

Result<std::vector<std::string>> pieces_of(const std::string &path,
                                           const UnloadedSection &section) {
  const auto bytes = base::read_regular_file(path);
  if (!bytes)
    return std::unexpected(
        Failure{ErrorCode::file_error, path, bytes.error(), "name a program or shared library"});
  const auto contents = section_of(*bytes, path, section);
  if (!contents)
    return std::unexpected(contents.error());
  std::vector<std::string> pieces;
  for (std::string_view rest = *contents; !rest.empty();) {
    std::uint64_t size = 0;
    if (!rest.starts_with(section.magic) || rest.size() < core::kGuardHeaderSize)
      return std::unexpected(damaged(path, section));
    std::memcpy(&size, rest.data() + section.magic.size(), sizeof size);
    if (size > rest.size() - core::kGuardHeaderSize)
      return std::unexpected(damaged(path, section));
    pieces.emplace_back(rest.substr(core::kGuardHeaderSize, size));
    rest.remove_prefix(
        std::min<std::uint64_t>(rest.size(), core::kGuardHeaderSize + (size + 7) / 8 * 8));
  }
  return pieces;
}

} // namespace sartor::cli
