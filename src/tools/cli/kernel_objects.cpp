// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/kernel_objects.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include <elf.h>

namespace sartor::cli {

namespace {

template <class T> std::optional<T> at(std::string_view bytes, std::uint64_t offset) {
  T value;
  if (offset > bytes.size() || bytes.size() - offset < sizeof value)
    return std::nullopt;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// Returns the length of the object that begins here; 0 if there is none, or only a part of one.
std::uint64_t length_of(std::string_view bytes) {
  const auto header = at<Elf64_Ehdr>(bytes, 0);
  if (!header || header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_BPF ||
      header->e_type != ET_REL || header->e_shentsize != sizeof(Elf64_Shdr))
    return 0;
  std::uint64_t end = header->e_shoff + std::uint64_t{header->e_shnum} * sizeof(Elf64_Shdr);
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    const auto section = at<Elf64_Shdr>(bytes, header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section)
      return 0;
    if (section->sh_type != SHT_NOBITS)
      end = std::max(end, section->sh_offset + section->sh_size);
  }
  return end <= bytes.size() ? end : 0;
}

} // namespace

bool is_kernel_object(std::string_view file) {
  const auto header = at<Elf64_Ehdr>(file, 0);
  return header && file.starts_with(ELFMAG) && header->e_machine == EM_BPF;
}

std::vector<std::string_view> kernel_objects_in(std::string_view file) {
  if (is_kernel_object(file))
    return {file};
  std::vector<std::string_view> found;
  for (std::size_t from = 0; (from = file.find(ELFMAG, from)) != std::string_view::npos;) {
    const std::uint64_t length = length_of(file.substr(from));
    const std::string_view object = file.substr(from, length);
    if (length > 0 && std::ranges::find(found, object) == found.end())
      found.push_back(object);
    from += std::max<std::uint64_t>(length, SELFMAG);
  }
  return found;
}

} // namespace sartor::cli
