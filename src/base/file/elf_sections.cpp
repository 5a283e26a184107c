// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/file/elf_sections.h"

#include <algorithm>

namespace sartor::base {

std::optional<Elf64_Ehdr> elf_header_of(std::span<const std::byte> file) {
  const auto header = entry_of<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64)
    return std::nullopt;
  return header;
}

std::vector<Elf64_Phdr> program_headers_in(std::span<const std::byte> file) {
  const auto header = elf_header_of(file);
  if (!header || header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phoff > file.size())
    return {};
  const auto table = file.subspan(header->e_phoff);
  std::vector<Elf64_Phdr> headers;
  for (unsigned i = 0; i < header->e_phnum; ++i)
    if (const auto each = entry_of<Elf64_Phdr>(table, i))
      headers.push_back(*each);
  return headers;
}

std::vector<FileSection> sections_in(std::span<const std::byte> file) {
  std::vector<FileSection> sections;
  for_each_section(
      [&](std::uint64_t offset, std::uint64_t size) { return part_of(file, offset, size); },
      [&](std::string_view name, const Elf64_Shdr &header) {
        const bool is_in_file = header.sh_type != SHT_NULL && header.sh_type != SHT_NOBITS;
        sections.push_back({name, header,
                            is_in_file ? part_of(file, header.sh_offset, header.sh_size)
                                       : std::span<const std::byte>()});
      });
  return sections;
}

std::vector<Note> notes_in(std::span<const std::byte> section, std::uint64_t alignment) {
  const std::uint64_t unit = alignment == 8 ? 8 : 4;
  const auto padded = [unit](std::uint64_t size) { return (size + unit - 1) & ~(unit - 1); };
  std::vector<Note> notes;
  while (const auto header = entry_of<Elf64_Nhdr>(section, 0)) {
    const std::uint64_t content = padded(sizeof *header + std::uint64_t{header->n_namesz});
    if (content > section.size() || header->n_descsz > section.size() - content)
      break;
    notes.push_back({text_at(section.subspan(sizeof *header, header->n_namesz), 0), header->n_type,
                     section.subspan(content, header->n_descsz)});
    section = section.subspan(
        std::min<std::uint64_t>(padded(content + header->n_descsz), section.size()));
  }
  return notes;
}

std::optional<std::string> build_id_in(std::span<const std::byte> notes, std::uint64_t alignment) {
  for (const Note &note : notes_in(notes, alignment)) {
    if (note.type != NT_GNU_BUILD_ID || note.name != "GNU" || note.content.empty())
      continue;
    std::string digits;
    for (const std::byte byte : note.content)
      for (const unsigned digit :
           {std::to_integer<unsigned>(byte) >> 4U, std::to_integer<unsigned>(byte) & 15U})
        digits += "0123456789abcdef"[digit];
    return digits;
  }
  return std::nullopt;
}

} // namespace sartor::base
