// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_DECODE_DATA_REFERENCES_H
#define SARTOR_LOADER_LIB_DECODE_DATA_REFERENCES_H

#include <cstdint>
#include <vector>

#include "loader/lib/decode/call_sites.h"
#include "loader/lib/file/elf_file.h"

namespace sartor::loader {

/// All that must change if a library's writable data lies elsewhere, relative to the rest: places
/// of 32-bit displacements in memory that is not writable, in operands of code and in unwind
/// information. Fails with bad_plan, saying what is in doubt, if they may not be all.
Result<std::vector<std::uint64_t>> data_references(const ElfFile &file, const Decoded &code);

} // namespace sartor::loader

#endif
