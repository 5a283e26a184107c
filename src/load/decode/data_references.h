// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOAD_DECODE_DATA_REFERENCES_H
#define SARTOR_LOAD_DECODE_DATA_REFERENCES_H

#include <cstdint>
#include <vector>

#include "load/decode/call_sites.h"
#include "load/file/elf_file.h"

namespace sartor::load {

/// All that must change if a library's writable data lies elsewhere, relative to the rest: places
/// of 32-bit displacements in memory that is not writable, in operands of code and in unwind
/// information. Fails with bad_plan, saying what is in doubt, if they may not be all.
Result<std::vector<std::uint64_t>> data_references(const ElfFile &file, const Decoded &code);

} // namespace sartor::load

#endif
