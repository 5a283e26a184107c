// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Handlers whose inline assembly misuses the assembler. Tests replace /THE/FILE by the path of a
/// file of the server.

#include <sartor/points.h>

/// Returns the bytes of a file that the assembler has read.
SARTOR_HANDLER long includes(long n) {
  const long mode = sartor_generic("includes", 1L);
  const unsigned char *where = nullptr;
  asm volatile("jmp 2f\n1: .incbin \"/THE/FILE\"\n2: lea 1b(%%rip), %0" : "=r"(where));
  return where[n] + mode;
}

/// Exhausts the memory.
SARTOR_HANDLER long fills(long n) {
  const long mode = sartor_generic("fills", 1L);
  asm volatile("jmp 1f\n.fill 800000000, 1, 0\n1:");
  return n + mode;
}

/// A harmless handler.
SARTOR_HANDLER long counts(long n) {
  const long mode = sartor_generic("counts", 1L);
  long sum = n;
  asm("jmp 2f\n.p2align 4\n1: .byte 0x90\n2: add %1, %0" : "+r"(sum) : "r"(mode));
  return sum;
}
