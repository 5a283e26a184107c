// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_FILE_LIBRARY_MEMORY_H
#define SARTOR_LOADER_LIB_FILE_LIBRARY_MEMORY_H

#include <cstdint>
#include <expected>
#include <span>
#include <vector>

#include "loader/lib/file/elf_file.h"

namespace sartor::loader {

/// A library's memory before relocation, in whole pages: the read-only part, then the writable one.
struct LibraryMemory {
  std::uint64_t begin = 0;
  std::vector<std::byte> readonly; ///< Content from `begin` on.
  std::uint64_t data_begin = 0;    ///< Begin of the writable part, or else the end of `readonly`.
  std::vector<std::byte> data;     ///< Content in the file; zeros follow.
  std::uint64_t data_end = 0;
  /// Alignment that the file's addresses keep wherever code, data or the thread-local block is: a
  /// power of two, at least a page.
  std::uint64_t alignment = 0;

  /// Returns the reason if the library has another shape.
  static std::expected<LibraryMemory, const char *> of(const ElfFile &file);

  [[nodiscard]] std::uint64_t readonly_end() const { return begin + readonly.size(); }
  [[nodiscard]] bool is_data(std::uint64_t address) const {
    return address >= data_begin && address <= data_end && data_end != data_begin;
  }
  /// Returns the bytes at an address; empty if there are fewer than `size`.
  [[nodiscard]] std::span<std::byte> at(std::uint64_t address, std::uint64_t size);
};

} // namespace sartor::loader

#endif
