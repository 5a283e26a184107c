// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOAD_UNWIND_INFO_H
#define SARTOR_LOAD_UNWIND_INFO_H

#include <cstdint>
#include <vector>

#include "load/elf_file.h"

namespace sartor::load {

/// Code that belongs together, as unwinders see it: a function, or a part that the compiler has
/// moved away from it. Addresses are the file's.
struct CodeRange {
  std::uint64_t begin;
  std::uint64_t end;

  bool operator==(const CodeRange &) const = default;
  auto operator<=>(const CodeRange &) const = default;
};

/// The bounds of all functions that `.eh_frame` describes, in order, without overlaps. Empty if the
/// file has no such section. Fails with bad_elf. (Linux Standard Base 5.0, "Exception Frames".)
Result<std::vector<CodeRange>> function_bounds(const ElfFile &file);

} // namespace sartor::load

#endif
