// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_FILE_ELF_SECTIONS_H
#define SARTOR_BASE_FILE_ELF_SECTIONS_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <elf.h>

namespace sartor::base {

// Readers of 64-bit ELF files. Offsets and sizes in a file may be any: nothing outside of it is
// read.

/// Returns a part of a file; empty if it lies, even partly, outside.
inline std::span<const std::byte> part_of(std::span<const std::byte> file, std::uint64_t offset,
                                          std::uint64_t size) {
  if (offset > file.size() || size > file.size() - offset)
    return {};
  return file.subspan(offset, size);
}

/// Returns one entry of a table; nothing if it lies outside.
template <class T>
std::optional<T> entry_of(std::span<const std::byte> table, std::uint64_t index) {
  if (index >= table.size() / sizeof(T))
    return std::nullopt;
  T value;
  std::memcpy(&value, table.data() + index * sizeof value, sizeof value);
  return value;
}

/// Returns the header of a 64-bit ELF file; nothing if it is no such file.
std::optional<Elf64_Ehdr> elf_header_of(std::span<const std::byte> file);

/// Returns the program headers of a file, or of the beginning of one, up to the first that is cut
/// off; none if it is no 64-bit ELF file.
std::vector<Elf64_Phdr> program_headers_in(std::span<const std::byte> file);

/// Returns the text that begins at an offset and ends at a zero, or at the table's end.
inline std::string_view text_at(std::span<const std::byte> table, std::uint64_t offset) {
  if (offset >= table.size())
    return {};
  const std::string_view rest(reinterpret_cast<const char *>(table.data()) + offset,
                              table.size() - offset);
  return rest.substr(0, rest.find('\0'));
}

/// Calls `visit(name, header)` for each section, in their order; not at all if the file is no
/// 64-bit ELF file, or its headers are invalid. A section with an invalid name has none.
/// `read(offset, size)` returns these bytes of the file as a contiguous range, which is shorter if
/// some lie outside; names are valid during a visit, or as long as that range refers to.
template <class Read, class Visit> void for_each_section(Read &&read, Visit &&visit) {
  const auto start = read(0, sizeof(Elf64_Ehdr));
  const auto header = elf_header_of(std::as_bytes(std::span(start)));
  if (!header || header->e_shoff == 0 || header->e_shentsize != sizeof(Elf64_Shdr) ||
      header->e_shstrndx >= header->e_shnum)
    return;
  const auto table = read(header->e_shoff, std::uint64_t{header->e_shnum} * sizeof(Elf64_Shdr));
  const auto entries = std::as_bytes(std::span(table));
  const auto of_names = entry_of<Elf64_Shdr>(entries, header->e_shstrndx);
  if (!of_names)
    return;
  const auto names = read(of_names->sh_offset, of_names->sh_size);
  for (std::uint64_t i = 0; const auto each = entry_of<Elf64_Shdr>(entries, i); ++i)
    visit(text_at(std::as_bytes(std::span(names)), each->sh_name), *each);
}

/// A section of a file, whether or not it is in memory when the program runs.
struct FileSection {
  std::string_view name; ///< Points into the file.
  Elf64_Shdr header;
  std::span<const std::byte> content; ///< Empty if it is not, or not wholly, in the file.
};

/// Returns the sections of a file, as for_each_section() visits them.
std::vector<FileSection> sections_in(std::span<const std::byte> file);

/// A note. Its fields point into the file.
struct Note {
  std::string_view name;
  std::uint32_t type;
  std::span<const std::byte> content;
};

/// Returns the notes of a section or segment, up to the first that is cut off. Their parts
/// begin at multiples of `alignment`, which is 4 or 8; other numbers mean 4.
std::vector<Note> notes_in(std::span<const std::byte> section, std::uint64_t alignment = 4);

/// Returns the build id (NT_GNU_BUILD_ID) among notes, in hexadecimal digits.
std::optional<std::string> build_id_in(std::span<const std::byte> notes,
                                       std::uint64_t alignment = 4);

} // namespace sartor::base

#endif
