/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MACHINE_H
#define MACHINE_H

#include <sartor/sartor.h>

enum operation { LOAD, ADD, LESS, JUMP_IF, CALL, FREE, RETURN };
struct instruction {
  unsigned char operation, a, b, c;
  int constant;
};
struct machine;
typedef long (*variant)(struct machine *, long *);

/* What an instruction is does not change. How often it was called does. */
struct program {
  struct instruction code[16];
  int registers;
  int calls;
  variant variant; /* null: the interpreter runs it */
  sartor_binding *binding;
  sartor_invariant *promise;
};

struct machine {
  struct program *programs[8];
  struct program *freed[8]; /* whose variants may still be running */
  int traces;               /* each call is to be seen: no variant is begun */
  int seen;
  sartor_runtime *runtime;
};

long run(struct machine *machine, const struct program *program, long *registers);
long call(struct machine *machine, int program, long *registers);
void free_program(struct machine *machine, int program);
void give_back(struct machine *machine);

#endif
