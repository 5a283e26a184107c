// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_STOCK_SYSTEM_CALLS_H
#define SARTOR_LOADER_LIB_STOCK_SYSTEM_CALLS_H

#include <cstdint>
#include <vector>

#include "loader/lib/file/elf_file.h"
#include "loader/lib/file/library_memory.h"

namespace sartor::loader {

/// A `syscall` instruction of the stock loader and the comparison that follows it.
struct SystemCall {
  std::uint64_t address;
  std::uint8_t size; ///< Size of both in bytes.
  std::uint32_t number;
};

/// Returns the calls that the front answers while a program is loaded: read, mmap, mprotect,
/// pread64, readlink. Fails with bad_elf, and with bad_plan if not all are found.
Result<std::vector<SystemCall>> system_calls(const ElfFile &loader);

/// The function by which the stock loader notifies debuggers that libraries are added or removed.
struct DebugEvent {
  std::uint64_t function; ///< Called for each event; does nothing.
  std::uint64_t reported; ///< Address of `r_debug`, which debuggers read.
};

/// Fails with bad_plan if the function is not empty, or has no room for a jump.
Result<DebugEvent> debug_event(const ElfFile &loader);

/// Redirects system calls and the event through stubs, which read their targets from the page after
/// theirs: the first word is the function for calls, the second one the function for the event.
/// `stubs` is the address of the stubs' page in terms of the loader's file. Returns the page's
/// content. Its first instructions make a call unchanged; those at `plain_event` return.
Result<std::vector<std::byte>> redirect(LibraryMemory &loader, const std::vector<SystemCall> &calls,
                                        const DebugEvent &event, std::uint64_t stubs);
inline constexpr std::uint64_t plain_event = 32;

} // namespace sartor::loader

#endif
