// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOAD_DECODE_CODE_BETWEEN_H
#define SARTOR_LOAD_DECODE_CODE_BETWEEN_H

#include <cstdint>
#include <vector>

#include "load/decode/data_operands.h"
#include "load/file/elf_file.h"
#include "load/file/unwind_info.h"

namespace sartor::load {

/// Looks for operands in writable memory in code that has no unwind information: hand-written, and
/// what starts and ends programs. `functions`: those that have some, in order; `entries`: where
/// branches lead out of them.
void look_between(const ElfFile &file, const std::vector<CodeRange> &functions,
                  std::vector<std::uint64_t> entries, DataOperands &data);

} // namespace sartor::load

#endif
