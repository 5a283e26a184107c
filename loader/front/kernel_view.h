// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_FRONT_KERNEL_VIEW_H
#define SARTOR_LOADER_FRONT_KERNEL_VIEW_H

#include <elf.h>

#include "front/stack.h"

namespace sartor::front {

struct ProgramHeaders {
  const Elf64_Phdr *headers;
  uint64_t count;
  uint64_t base; ///< Offset to add to the addresses in the program's file.
};

/// Returns the headers of the program as the kernel has mapped it.
ProgramHeaders headers_of_program(const Stack &stack);

/// Returns the address at which the program begins.
uint64_t begin_of_program(const Stack &stack);

/// Updates the kernel's description of the process, which others read (debuggers, through
/// /proc/PID/auxv), to match the auxiliary vector on the stack. Where the kernel forbids it, they
/// see the state before the program was placed. A heap that would grow into the arena begins above
/// all low mappings instead; `arena` is 0 if there is no such heap.
void report_kernel(const Stack &stack, uint64_t arena);

} // namespace sartor::front

#endif
