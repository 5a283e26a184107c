// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_STOCK_SYSTEM_CALLS_H
#define SARTOR_LOADER_LIB_STOCK_SYSTEM_CALLS_H

#include <cstdint>
#include <vector>

#include "loader/lib/file/elf_file.h"
#include "loader/lib/file/library_memory.h"

namespace sartor::loader {

/// A `syscall` of the stock loader, with the comparison that follows it.
struct SystemCall {
  std::uint64_t address;
  std::uint8_t size; ///< Of both, in bytes.
  std::uint32_t number;
};

/// Those that the front answers while a program is loaded: read, mmap, mprotect, pread64, readlink.
/// Fails with bad_elf, and with bad_plan if not all are found.
Result<std::vector<SystemCall>> system_calls(const ElfFile &loader);

/// Where the stock loader tells debuggers that libraries come or go.
struct DebugEvent {
  std::uint64_t function; ///< Called then; does nothing.
  std::uint64_t told;     ///< The `r_debug` that they are to look at.
};

/// Fails with bad_plan if the function does something, or has no room for a jump.
Result<DebugEvent> debug_event(const ElfFile &loader);

/// Redirects system calls and the event through stubs, which find who makes the call in the first
/// word of the page behind theirs, and who hears of the event in the second one. `stubs` is their
/// page's address in terms of the loader's file. Returns its content, of which the first
/// instructions make a call as it is; those at `plain_event` return.
Result<std::vector<std::byte>> redirect(LibraryMemory &loader, const std::vector<SystemCall> &calls,
                                        const DebugEvent &event, std::uint64_t stubs);
inline constexpr std::uint64_t plain_event = 32;

} // namespace sartor::loader

#endif
