// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_FILE_UNWIND_INFO_H
#define SARTOR_LOADER_LIB_FILE_UNWIND_INFO_H

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "loader/lib/file/code_range.h"
#include "loader/lib/file/elf_file.h"
#include "loader/lib/file/unwind_frames.h"

namespace sartor::loader {

/// The unwind information of a file. Addresses are the file's.
struct Unwinding {
  /// Bounds of all functions that it describes, sorted and without overlaps: whole functions, or
  /// parts that the compiler has split off.
  std::vector<CodeRange> functions;
  /// Ranges of the unwind information itself, sorted and without overlaps. It refers to each
  /// function, which does not mean that the function is used.
  std::vector<CodeRange> places;
  std::vector<unwind::Pointer> personalities;
  std::vector<unwind::Pointer> types; ///< Types that are caught.
  /// Landing pads of exceptions: begin of the function, and address of the landing pad.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> landing_pads;
  /// False if exception tables are cut off or of an unknown kind: then some are missing.
  bool is_all = true;
};

/// Reads unwind information. `table`: address of the unwinders' search table (PT_GNU_EH_FRAME).
/// Returns nothing if entries are cut off or of an unknown kind. (Linux Standard Base 5.0,
/// "Exception Frames".)
std::optional<Unwinding> unwinding_of(const unwind::Bytes &bytes, std::uint64_t table);

/// Returns the unwind information of a file; empty if it has none. Fails with bad_elf.
Result<Unwinding> unwinding_of(const ElfFile &file);

} // namespace sartor::loader

#endif
