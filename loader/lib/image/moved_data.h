// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_IMAGE_MOVED_DATA_H
#define SARTOR_LOADER_LIB_IMAGE_MOVED_DATA_H

#include <cstdint>
#include <vector>

#include "loader/lib/file/elf_file.h"
#include "loader/lib/file/library_memory.h"

namespace sartor::loader {

/// Changes all references to a library's data, as data_references() has found them, for data that
/// moves by `delta` bytes; `data_begin` and `data_end` remain the file's. The dynamic section stays
/// at its position in the file and becomes part of the read-only memory. Fails with bad_plan; then
/// the memory is no longer usable.
Result<void> move_data(const ElfFile &file, LibraryMemory &memory,
                       const std::vector<std::uint64_t> &references, std::int64_t delta);

} // namespace sartor::loader

#endif
