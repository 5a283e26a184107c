// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_DECODE_DISTANCE_TABLES_H
#define SARTOR_LOADER_LIB_DECODE_DISTANCE_TABLES_H

#include <cstdint>
#include <vector>

#include "loader/lib/file/code_range.h"
#include "loader/lib/file/data_bounds.h"
#include "loader/lib/file/elf_file.h"

namespace sartor::loader {

/// Words at an address that may be distances between what moves and what stays, from there or each
/// from itself: they would be wrong when data has moved.
struct DistanceTable {
  std::uint64_t address;
  unsigned size;            ///< Of a word, in bytes.
  bool from_table = false;  ///< They lead somewhere if added to the address of the first.
  bool from_itself = false; ///< ... each to its own.
  bool is_likely = false;   ///< Nothing about them speaks against it.
  /// Besides, so do all words from here to where something else begins, most of them from what
  /// moves to what stays or the other way.
  bool is_whole = false;
};

/// Looks for tables of words of 4 and of 8 bytes, in the order of their addresses. `addresses`:
/// what anything refers to, in order: where tables may begin; `code`: where there is none; `known`:
/// what known_tables() says.
std::vector<DistanceTable> distance_tables(const ElfFile &file,
                                           const std::vector<std::uint64_t> &addresses,
                                           const std::vector<CodeRange> &code,
                                           const std::vector<CodeRange> &known);

/// Whether a relative virtual table of C++ begins at an address: distances of functions, before
/// them that of a pointer to the type.
bool is_relative_virtual_table(const ElfFile &file, std::uint64_t address,
                               const std::vector<CodeRange> &code);

} // namespace sartor::loader

#endif
