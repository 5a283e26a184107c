// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_DECODE_KNOWN_TABLES_H
#define SARTOR_LOADER_LIB_DECODE_KNOWN_TABLES_H

#include <cstdint>
#include <vector>

#include "loader/lib/file/code_range.h"
#include "loader/lib/file/elf_file.h"
#include "loader/lib/file/unwind_info.h"

namespace sartor::loader {

/// Returns the ranges that the stock loader and unwinders read. Their references to data are known;
/// code neither refers to them nor finds distances in them. Sorted, without overlaps.
std::vector<CodeRange> known_tables(const ElfFile &file, const Unwinding &unwinding);

} // namespace sartor::loader

#endif
