// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_FILE_NAMED_SYMBOLS_H
#define SARTOR_LOADER_LIB_FILE_NAMED_SYMBOLS_H

#include <cstdint>
#include <string_view>
#include <vector>

#include "loader/lib/file/elf_file.h"

namespace sartor::loader {

/// A function or variable that a file names. The texts point into the file.
struct NamedSymbol {
  std::string_view name;
  std::string_view version; ///< Empty if references without a version mean this symbol.
  std::uint64_t address;
  std::uint64_t size;
  std::uint8_t type; ///< STT_FUNC, STT_GNU_IFUNC (address of the resolver) or STT_OBJECT.
};

/// Returns the functions and variables that a file defines: those that it exports, then those that
/// only its table for debuggers names, unless it was stripped.
std::vector<NamedSymbol> named_symbols(const ElfFile &file);

} // namespace sartor::loader

#endif
