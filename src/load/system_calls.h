// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOAD_SYSTEM_CALLS_H
#define SARTOR_LOAD_SYSTEM_CALLS_H

#include <cstdint>
#include <vector>

#include "load/elf_file.h"
#include "load/library_memory.h"

namespace sartor::load {

/// A `syscall` of the stock loader, with the comparison that follows it.
struct SystemCall {
  std::uint64_t address;
  std::uint8_t size; ///< Of both, in bytes.
  std::uint32_t number;
};

/// Those that the front answers while a program is loaded: read, mmap, mprotect, pread64, readlink.
/// Fails with bad_elf, and with bad_plan if not all are found.
Result<std::vector<SystemCall>> system_calls(const ElfFile &loader);

/// Redirects them through stubs, which find who makes the call in the first word of the page behind
/// theirs. `stubs` is that page's address in terms of the loader's file. Returns its content, of
/// which the first instructions make a call as it is.
Result<std::vector<std::byte>> redirect(LibraryMemory &loader, const std::vector<SystemCall> &calls,
                                        std::uint64_t stubs);

} // namespace sartor::load

#endif
