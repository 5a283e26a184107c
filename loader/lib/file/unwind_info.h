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

/// All that the unwind information of a file says. Addresses are the file's.
struct Unwinding {
  /// The bounds of all functions that it describes, in order, without overlaps: code that belongs
  /// together, or a part that the compiler has moved away from it.
  std::vector<CodeRange> functions;
  /// Where it lies: in order, without overlaps. It names each function, and says nothing about
  /// whether that is used.
  std::vector<CodeRange> places;
  std::vector<unwind::Pointer> personalities;
  std::vector<unwind::Pointer> types; ///< That are caught.
  /// Where exceptions are caught: for the function that begins at the first address, the second.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> landing_pads;
  /// False if tables of exceptions are cut off or of an unknown kind: then some are missing.
  bool is_all = true;
};

/// `table`: where unwinders begin to look (PT_GNU_EH_FRAME). Nothing if entries are cut off, or of
/// an unknown kind. (Linux Standard Base 5.0, "Exception Frames".)
std::optional<Unwinding> unwinding_of(const unwind::Bytes &bytes, std::uint64_t table);

/// That of a file; empty if it has none. Fails with bad_elf.
Result<Unwinding> unwinding_of(const ElfFile &file);

} // namespace sartor::loader

#endif
