// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_LOAD_SECTION_HEADERS_H
#define SARTOR_TEST_LOAD_SECTION_HEADERS_H

#include <cstring>
#include <vector>

#include <elf.h>

#include "loader/lib/file/elf_file.h"

namespace sartor::loader {

/// Reads the complete entries of a table in a file.
template <class T>
std::vector<T> entries_of(const ElfFile &file, std::uint64_t offset, std::uint64_t size) {
  std::vector<T> entries(size / sizeof(T));
  std::memcpy(entries.data(), file.bytes().subspan(offset, size).data(),
              entries.size() * sizeof(T));
  return entries;
}

inline std::vector<Elf64_Shdr> section_headers(const ElfFile &file) {
  const auto header = entries_of<Elf64_Ehdr>(file, 0, sizeof(Elf64_Ehdr)).front();
  return entries_of<Elf64_Shdr>(file, header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr));
}

} // namespace sartor::loader

#endif
