// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_FILE_LIBRARY_MEMORY_H
#define SARTOR_LOADER_LIB_FILE_LIBRARY_MEMORY_H

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "loader/lib/file/elf_file.h"

namespace sartor::loader {

/// What a library is in memory before it is relocated, in whole pages: first what is not writable,
/// then what is.
struct LibraryMemory {
  std::uint64_t begin = 0;
  std::vector<std::byte> readonly; ///< From `begin` on.
  std::uint64_t data_begin = 0;    ///< Where there is none: where `readonly` ends.
  std::vector<std::byte> data;     ///< What the file has; zeros follow.
  std::uint64_t data_end = 0;

  /// Nothing if the library is of another shape.
  static std::optional<LibraryMemory> of(const ElfFile &file);

  [[nodiscard]] std::uint64_t readonly_end() const { return begin + readonly.size(); }
  [[nodiscard]] bool is_data(std::uint64_t address) const {
    return address >= data_begin && address <= data_end && data_end != data_begin;
  }
  /// Bytes at an address, if there are that many.
  [[nodiscard]] std::span<std::byte> at(std::uint64_t address, std::uint64_t size);
};

} // namespace sartor::loader

#endif
