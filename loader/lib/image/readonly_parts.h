// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_IMAGE_READONLY_PARTS_H
#define SARTOR_LOADER_LIB_IMAGE_READONLY_PARTS_H

#include <cstdint>
#include <vector>

#include "loader/lib/file/elf_file.h"

namespace sartor::loader {

/// Some addresses, in whole pages.
struct Pages {
  std::uint64_t begin, end;

  bool operator==(const Pages &) const = default;
};

/// A part of memory that is not writable, with one protection.
struct ReadonlyPart {
  Pages pages;
  bool is_executable;

  bool operator==(const ReadonlyPart &) const = default;
};

/// Where the code of a file is that lies at `base`.
std::vector<Pages> code_of(const ElfFile &file, std::uint64_t base);

/// Which parts of `all` are executable: `code`, and on huge pages what shares one of them with so
/// much code that it is better there. Ascending, next to each other.
std::vector<ReadonlyPart> parts_of(Pages all, std::vector<Pages> code, bool is_on_huge_pages);

} // namespace sartor::loader

#endif
