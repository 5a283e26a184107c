// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOAD_MOVED_DATA_H
#define SARTOR_LOAD_MOVED_DATA_H

#include <cstdint>
#include <vector>

#include "load/elf_file.h"
#include "load/library_memory.h"

namespace sartor::load {

/// Bytes that must be there before moved data: the dynamic section, in whole pages.
std::uint64_t room_before_data(const ElfFile &file);

/// Changes all in a library that says where its data is, with what data_references() has found, for
/// data that lies `delta` bytes further; the addresses in `memory` stay the file's. The dynamic
/// section is put before the data (into room_before_data()), and elsewhere in its page than the
/// file has it: a debugger that finds it at the file's place in the page takes the difference for
/// the library's displacement. Fails with bad_plan; then the memory is no good any more.
Result<void> move_data(const ElfFile &file, LibraryMemory &memory,
                       const std::vector<std::uint64_t> &references, std::int64_t delta);

} // namespace sartor::load

#endif
