// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOAD_DECODE_KNOWN_TABLES_H
#define SARTOR_LOAD_DECODE_KNOWN_TABLES_H

#include <cstdint>
#include <vector>

#include "load/file/code_range.h"
#include "load/file/elf_file.h"
#include "load/file/unwind_info.h"

namespace sartor::load {

/// Where a file has what the stock loader and unwinders read: what refers to data there is known,
/// and code neither refers to it nor finds distances in it. In order, without overlaps.
std::vector<CodeRange> known_tables(const ElfFile &file, const Unwinding &unwinding);

} // namespace sartor::load

#endif
