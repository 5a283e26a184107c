// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_STOCK_STOCK_LOADER_H
#define SARTOR_LOADER_LIB_STOCK_STOCK_LOADER_H

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "loader/lib/file/elf_file.h"

namespace sartor::loader {

/// Path of glibc's loader; the interpreter of all programs that this loader supports.
inline constexpr const char *stock_loader = "/lib64/ld-linux-x86-64.so.2";

/// The libraries that a program starts with, in symbol search order.
struct LibraryList {
  std::vector<std::filesystem::path> found; ///< Excludes the program, includes the stock loader.
  std::vector<std::string> missing;         ///< Names for which there is no file.
};

/// Queries the stock loader (`--list`), which applies LD_LIBRARY_PATH, LD_PRELOAD, RPATH and the
/// like as it does at a start; no code of the program runs. Fails with file_error.
Result<LibraryList> list_libraries(const std::filesystem::path &program);

/// True if the stock loader leaves read-only dynamic sections, as those of packed libraries,
/// unchanged. Versions before glibc 2.35 write to all.
bool takes_readonly_dynamic_sections(const ElfFile &loader);

} // namespace sartor::loader

#endif
