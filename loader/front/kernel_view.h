// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_FRONT_KERNEL_VIEW_H
#define SARTOR_FRONT_KERNEL_VIEW_H

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

/// Has the kernel tell others (debuggers, by /proc/PID/auxv) what the stack tells the program.
/// Where the kernel does not allow it, they hear what was so before the program was placed.
void tell_kernel(const Stack &stack);

} // namespace sartor::front

#endif
