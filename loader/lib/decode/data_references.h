// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_DECODE_DATA_REFERENCES_H
#define SARTOR_LOADER_LIB_DECODE_DATA_REFERENCES_H

#include <cstdint>
#include <vector>

#include "loader/lib/decode/call_sites.h"
#include "loader/lib/file/elf_file.h"

namespace sartor::loader {

/// Returns all places that must change if a library's writable data moves relative to the rest:
/// 32-bit displacements in read-only memory, in operands of code and in unwind information. Fails
/// with bad_plan and the doubtful place if they may be incomplete.
Result<std::vector<std::uint64_t>> data_references(const ElfFile &file, const Decoded &code);

} // namespace sartor::loader

#endif
