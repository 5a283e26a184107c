/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** A register machine in which each operation is a function. */
#ifndef MACHINE_H
#define MACHINE_H

#include <sartor/points.h>

enum { LOAD, ADD, LESS, JUMP_IF, DIVIDE, RETURN };
struct instruction {
  unsigned char operation, a, b, c;
  int constant;
};
struct program {
  struct instruction code[16];
};
enum { REGISTERS = 8, DIVIDED_BY_ZERO = -1 };

long run(const struct program *program, long *registers);

#endif
