// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_IMAGE_MOVED_DATA_H
#define SARTOR_LOADER_LIB_IMAGE_MOVED_DATA_H

#include <cstdint>
#include <vector>

#include "loader/lib/file/elf_file.h"
#include "loader/lib/file/library_memory.h"

namespace sartor::loader {

/// Changes all in a library that says where its data is, with what data_references() has found, for
/// data that lies `delta` bytes further; `data_begin` and `data_end` stay the file's. The dynamic
/// section stays where the file has it, and belongs to what is not writable. Fails with bad_plan;
/// then the memory is no good any more.
Result<void> move_data(const ElfFile &file, LibraryMemory &memory,
                       const std::vector<std::uint64_t> &references, std::int64_t delta);

} // namespace sartor::loader

#endif
