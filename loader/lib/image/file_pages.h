// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_IMAGE_FILE_PAGES_H
#define SARTOR_LOADER_LIB_IMAGE_FILE_PAGES_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "loader/lib/file/elf_file.h"

namespace sartor::loader {

/// Pages of one segment that all equal the file's, or all differ.
struct FilePages {
  std::uint64_t begin; ///< Address in the library's file.
  std::uint64_t end;
  std::uint64_t offset; ///< Offset of these pages in the file.
  bool is_changed;

  bool operator==(const FilePages &) const = default;
};

/// Compares a segment's pages with the file. `content`: the memory from the segment's first page
/// on. Each run of pages becomes a mapping: short runs between changed pages count as changed,
/// except in code.
std::vector<FilePages> compare_with_file(const ElfFile &file, const Segment &segment,
                                         std::span<const std::byte> content);

} // namespace sartor::loader

#endif
