/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "machine.h"

typedef long operation(const struct instruction *i, long *registers);
static operation *const operations[];

#define NEXT(i) __attribute__((musttail)) return operations[(i)->operation]((i), registers)

static long load(const struct instruction *i, long *registers) {
  registers[i->a] = i->constant;
  NEXT(i + 1);
}

static long add(const struct instruction *i, long *registers) {
  registers[i->a] = registers[i->b] + registers[i->c];
  NEXT(i + 1);
}

static long less(const struct instruction *i, long *registers) {
  registers[i->a] = registers[i->b] < registers[i->c];
  NEXT(i + 1);
}

static long jump_if(const struct instruction *i, long *registers) {
  if (registers[i->a])
    i += i->constant;
  else
    ++i;
  NEXT(i);
}

static long divide(const struct instruction *i, long *registers) {
  if (registers[i->c] == 0)
    return DIVIDED_BY_ZERO;
  registers[i->a] = registers[i->b] / registers[i->c];
  NEXT(i + 1);
}

static long finish(const struct instruction *i, long *registers) { return registers[i->a]; }

static operation *const operations[] = {load, add, less, jump_if, divide, finish};

SARTOR_HANDLER long run(const struct program *program, long *registers) {
  registers = sartor_local(registers, REGISTERS * sizeof *registers);
  return operations[program->code->operation](program->code, registers);
}
