// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/file/elf_sections.h"

#include <algorithm>

namespace sartor::base {

namespace {

/// Returns a part of the file; empty if it lies outside.
std::span<const std::byte> part_of(std::span<const std::byte> file, std::uint64_t offset,
                                   std::uint64_t size) {
  if (offset > file.size() || size > file.size() - offset)
    return {};
  return file.subspan(offset, size);
}

} // namespace

std::optional<Elf64_Ehdr> elf_header_of(std::span<const std::byte> file) {
  const auto header = entry_of<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64)
    return std::nullopt;
  return header;
}

std::vector<FileSection> sections_in(std::span<const std::byte> file) {
  const auto header = elf_header_of(file);
  if (!header || header->e_shoff == 0 || header->e_shentsize != sizeof(Elf64_Shdr) ||
      header->e_shstrndx >= header->e_shnum)
    return {};
  const auto table =
      part_of(file, header->e_shoff, std::uint64_t{header->e_shnum} * sizeof(Elf64_Shdr));
  const auto of_names = entry_of<Elf64_Shdr>(table, header->e_shstrndx);
  if (!of_names)
    return {};
  const auto names = part_of(file, of_names->sh_offset, of_names->sh_size);
  std::vector<FileSection> sections;
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    const Elf64_Shdr each = *entry_of<Elf64_Shdr>(table, i);
    const bool is_in_file = each.sh_type != SHT_NULL && each.sh_type != SHT_NOBITS;
    sections.push_back(
        {text_at(names, each.sh_name), each,
         is_in_file ? part_of(file, each.sh_offset, each.sh_size) : std::span<const std::byte>()});
  }
  return sections;
}

std::vector<Note> notes_in(std::span<const std::byte> section) {
  const auto padded = [](std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; };
  std::vector<Note> notes;
  while (const auto header = entry_of<Elf64_Nhdr>(section, 0)) {
    section = section.subspan(sizeof *header);
    const std::uint64_t of_name = padded(header->n_namesz);
    if (of_name > section.size() || header->n_descsz > section.size() - of_name)
      break;
    notes.push_back({text_at(section.first(header->n_namesz), 0), header->n_type,
                     section.subspan(of_name, header->n_descsz)});
    section = section.subspan(
        std::min<std::uint64_t>(of_name + padded(header->n_descsz), section.size()));
  }
  return notes;
}

} // namespace sartor::base
