// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_FILE_WRITTEN_MEMORY_H
#define SARTOR_LOADER_LIB_FILE_WRITTEN_MEMORY_H

#include <cstdint>
#include <span>

#include <elf.h>

#include "loader/lib/format/pages.h"

namespace sartor::loader {

/// Calls `visit` with the bounds of each part of a file's memory that is written at run time: in
/// whole pages, without the parts that the stock loader makes read-only after relocation. Works on
/// files and on running programs; needs no C++ library.
template <class Visit>
void for_each_written(std::span<const Elf64_Phdr> headers, std::uint64_t base, Visit &&visit) {
  std::uint64_t constant = 0, constant_end = 0;
  for (const Elf64_Phdr &header : headers)
    if (header.p_type == PT_GNU_RELRO) {
      constant = format::down(base + header.p_vaddr);
      constant_end = format::down(base + header.p_vaddr + header.p_memsz);
    }
  for (const Elf64_Phdr &header : headers) {
    if (header.p_type != PT_LOAD || (header.p_flags & PF_W) == 0)
      continue;
    const std::uint64_t begin = format::down(base + header.p_vaddr);
    const std::uint64_t end = format::up(base + header.p_vaddr + header.p_memsz);
    if (constant >= end || constant_end <= begin) {
      visit(begin, end);
      continue;
    }
    if (begin < constant)
      visit(begin, constant);
    if (constant_end < end)
      visit(constant_end, end);
  }
}

} // namespace sartor::loader

#endif
