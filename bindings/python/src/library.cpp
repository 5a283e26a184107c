// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "library.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>
#include <vector>

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <sartor/error.hpp>

namespace sartor::python {

namespace {

constexpr std::string_view kSection = "sartor_modules";

struct Bounds {
  std::uint64_t offset; ///< Relative to the load address of the library.
  std::uint64_t size;
};

/// Reads objects from the file; false at its end.
template <class T> bool read(std::ifstream &file, std::uint64_t offset, T *to, std::size_t count) {
  file.seekg(static_cast<std::streamoff>(offset));
  return static_cast<bool>(
      file.read(reinterpret_cast<char *>(to), static_cast<std::streamsize>(sizeof(T) * count)));
}

/// Bounds of the section, from the section headers; these stay when a library is stripped.
std::optional<Bounds> find_section(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  ElfW(Ehdr) header{};
  if (!read(file, 0, &header, 1) || header.e_shentsize != sizeof(ElfW(Shdr)))
    return std::nullopt;
  std::vector<ElfW(Shdr)> sections(header.e_shnum);
  if (!read(file, header.e_shoff, sections.data(), sections.size()) ||
      header.e_shstrndx >= sections.size())
    return std::nullopt;
  const ElfW(Shdr) &table = sections[header.e_shstrndx];
  std::string names(table.sh_size, '\0');
  if (!read(file, table.sh_offset, names.data(), names.size()))
    return std::nullopt;
  for (const ElfW(Shdr) &section : sections)
    if (section.sh_name < names.size() && names.c_str() + section.sh_name == kSection)
      return Bounds{section.sh_addr, section.sh_size};
  return std::nullopt;
}

} // namespace

bool is_elf(const std::string &path) {
  std::array<char, SELFMAG> magic{};
  std::ifstream file(path, std::ios::binary);
  return file.read(magic.data(), magic.size()) && std::memcmp(magic.data(), ELFMAG, SELFMAG) == 0;
}

std::span<const sartor_module> load_library(const std::string &path) {
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  link_map *loaded = nullptr;
  if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void *>(&loaded)) != 0)
    throw Error({ErrorCode::file_error, path, dlerror(), "name a shared library"});
  const auto bounds = find_section(loaded->l_name);
  if (!bounds || bounds->size < sizeof(sartor_module))
    throw Error({ErrorCode::no_handler_module, path, "has no handler module in it",
                 "build it with sartor_add_handler()"});
  return {reinterpret_cast<const sartor_module *>(loaded->l_addr + bounds->offset),
          bounds->size / sizeof(sartor_module)};
}

} // namespace sartor::python
