// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_DECODE_CODE_BETWEEN_H
#define SARTOR_LOADER_LIB_DECODE_CODE_BETWEEN_H

#include <cstdint>
#include <vector>

#include "loader/lib/decode/data_operands.h"
#include "loader/lib/file/elf_file.h"
#include "loader/lib/file/unwind_info.h"

namespace sartor::loader {

/// Finds operands in writable memory in code without unwind information: hand-written code and the
/// start and end code of programs. `functions`: functions with unwind information, in order.
/// `entries`: targets of branches out of them.
void look_between(const ElfFile &file, const std::vector<CodeRange> &functions,
                  std::vector<std::uint64_t> entries, DataOperands &data);

} // namespace sartor::loader

#endif
