// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_DECODE_DISTANCE_TABLES_H
#define SARTOR_LOADER_LIB_DECODE_DISTANCE_TABLES_H

#include <cstdint>
#include <vector>

#include "loader/lib/file/code_range.h"
#include "loader/lib/file/data_bounds.h"
#include "loader/lib/file/elf_file.h"

namespace sartor::loader {

/// Words at an address that may be distances between movable and fixed memory, counted from the
/// table or from each word itself. They would be wrong after data has moved.
struct DistanceTable {
  std::uint64_t address;
  unsigned size;            ///< Size of a word in bytes.
  bool from_table = false;  ///< Added to the first word's address, they lead into the file.
  bool from_itself = false; ///< Each added to its own address, they lead into the file.
  bool is_likely = false;   ///< No evidence contradicts that they are distances.
  /// Additionally, all words up to the next object are distances, most of them between movable and
  /// fixed memory.
  bool is_whole = false;
};

/// Finds tables of words of 4 and of 8 bytes, sorted by address. `addresses`: everything that is
/// referred to, in order, where tables may begin. `code`: ranges without tables. `known`: result of
/// known_tables().
std::vector<DistanceTable> distance_tables(const ElfFile &file,
                                           const std::vector<std::uint64_t> &addresses,
                                           const std::vector<CodeRange> &code,
                                           const std::vector<CodeRange> &known);

/// True if a relative virtual table of C++ begins at an address: distances of functions, preceded
/// by the distance of a pointer to the type.
bool is_relative_virtual_table(const ElfFile &file, std::uint64_t address,
                               const std::vector<CodeRange> &code);

} // namespace sartor::loader

#endif
