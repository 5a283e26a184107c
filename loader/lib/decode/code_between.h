// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_DECODE_CODE_BETWEEN_H
#define SARTOR_LOADER_LIB_DECODE_CODE_BETWEEN_H

#include <cstdint>
#include <vector>

#include "loader/lib/decode/data_operands.h"
#include "loader/lib/file/elf_file.h"
#include "loader/lib/file/unwind_info.h"

namespace sartor::loader {

/// Looks for operands in writable memory in code that has no unwind information: hand-written, and
/// what starts and ends programs. `functions`: those that have some, in order; `entries`: where
/// branches lead out of them.
void look_between(const ElfFile &file, const std::vector<CodeRange> &functions,
                  std::vector<std::uint64_t> entries, DataOperands &data);

} // namespace sartor::loader

#endif
