// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_FRONT_KERNEL_VIEW_H
#define SARTOR_LOADER_FRONT_KERNEL_VIEW_H

#include <elf.h>

#include "front/stack.h"

namespace sartor::front {

struct ProgramHeaders {
  const Elf64_Phdr *headers;
  uint64_t count;
  uint64_t base; ///< What the program's own addresses are to be moved by.
};

/// Those of the program as the kernel has mapped it.
ProgramHeaders headers_of_program(const Stack &stack);

/// Where that begins.
uint64_t begin_of_program(const Stack &stack);

/// Has the kernel tell others (debuggers, by /proc/PID/auxv) what the stack tells the program.
/// Where the kernel does not allow it, they hear what was so before the program was placed. A heap
/// that would grow into the arena begins behind all that lies low instead; 0: there is no such.
void tell_kernel(const Stack &stack, uint64_t arena);

} // namespace sartor::front

#endif
