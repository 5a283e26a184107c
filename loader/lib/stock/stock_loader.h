// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_STOCK_STOCK_LOADER_H
#define SARTOR_LOADER_LIB_STOCK_STOCK_LOADER_H

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "loader/lib/file/elf_file.h"

namespace sartor::loader {

/// Where glibc's loader is; the interpreter of all programs that are looked at here.
inline constexpr const char *stock_loader = "/lib64/ld-linux-x86-64.so.2";

/// What a program would be started with, in the order in which it is searched for symbols.
struct LibraryList {
  std::vector<std::filesystem::path> found; ///< Without the program, with the loader.
  std::vector<std::string> missing;         ///< Names for which there is no file.
};

/// Asks the stock loader (`--list`), which heeds LD_LIBRARY_PATH, LD_PRELOAD, RPATH and the like as
/// it does when it starts the program; nothing of the program is run. Fails with file_error.
Result<LibraryList> list_libraries(const std::filesystem::path &program);

/// Whether the stock loader leaves dynamic sections as they are that are not writable, as those of
/// packed libraries. Those before glibc 2.35 write to all.
bool takes_readonly_dynamic_sections(const ElfFile &loader);

} // namespace sartor::loader

#endif
