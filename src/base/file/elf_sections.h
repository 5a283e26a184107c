// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_FILE_ELF_SECTIONS_H
#define SARTOR_BASE_FILE_ELF_SECTIONS_H

#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <elf.h>

namespace sartor::base {

/// A section of a file, whether or not it is in memory when the program runs.
struct FileSection {
  std::string_view name; ///< Points into the file.
  Elf64_Shdr header;
  std::span<const std::byte> content; ///< Empty if it is not, or not wholly, in the file.
};

/// Returns the sections of a 64-bit ELF file, in their order; none if it is no such file, or its
/// headers are invalid. A section with an invalid name has none.
std::vector<FileSection> sections_in(std::span<const std::byte> file);

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

/// Returns the text that begins at an offset and ends at a zero, or at the table's end.
inline std::string_view text_at(std::span<const std::byte> table, std::uint64_t offset) {
  if (offset >= table.size())
    return {};
  const std::string_view rest(reinterpret_cast<const char *>(table.data()) + offset,
                              table.size() - offset);
  return rest.substr(0, rest.find('\0'));
}

/// A note. Its fields point into the file.
struct Note {
  std::string_view name;
  std::uint32_t type;
  std::span<const std::byte> content;
};

/// Returns the notes of a section, up to the first that is cut off.
std::vector<Note> notes_in(std::span<const std::byte> section);

} // namespace sartor::base

#endif
