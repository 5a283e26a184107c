// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Handlers whose inline assembly asks the assembler for more than code. /THE/FILE stands for one
/// of the server's, which tests put in its place.

#include <sartor/points.h>

/// Gives the bytes of a file that the assembler has read.
SARTOR_HANDLER long includes(long n) {
  const long mode = sartor_generic("includes", 1L);
  const unsigned char *where = nullptr;
  asm volatile("jmp 2f\n1: .incbin \"/THE/FILE\"\n2: lea 1b(%%rip), %0" : "=r"(where));
  return where[n] + mode;
}

/// Takes memory until there is none.
SARTOR_HANDLER long fills(long n) {
  const long mode = sartor_generic("fills", 1L);
  asm volatile("jmp 1f\n.fill 800000000, 1, 0\n1:");
  return n + mode;
}

/// As handlers may.
SARTOR_HANDLER long counts(long n) {
  const long mode = sartor_generic("counts", 1L);
  long sum = n;
  asm("jmp 2f\n.p2align 4\n1: .byte 0x90\n2: add %1, %0" : "+r"(sum) : "r"(mode));
  return sum;
}
