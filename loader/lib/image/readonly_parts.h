// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_IMAGE_READONLY_PARTS_H
#define SARTOR_LOADER_LIB_IMAGE_READONLY_PARTS_H

#include <cstdint>
#include <vector>

#include "loader/lib/file/elf_file.h"

namespace sartor::loader {

/// A range of whole pages.
struct Pages {
  std::uint64_t begin, end;

  bool operator==(const Pages &) const = default;
};

/// A part of read-only memory with one protection.
struct ReadonlyPart {
  Pages pages;
  bool is_executable;

  bool operator==(const ReadonlyPart &) const = default;
};

/// Returns the ranges of a file's code, for a file at `base`.
std::vector<Pages> code_of(const ElfFile &file, std::uint64_t base);

/// Divides `all` by protection: `code` is executable, and, on huge pages, also constants in pages
/// that mostly hold code. Ascending, adjacent.
std::vector<ReadonlyPart> parts_of(Pages all, std::vector<Pages> code, bool is_on_huge_pages);

} // namespace sartor::loader

#endif
