/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "locals_program.h"

const struct LocalsInstruction locals_code[9] = {
    {locals_multiply, 1, 1, 2},     {locals_exclusive_or, 4, 4, 1}, {locals_shift, 5, 4, 3},
    {locals_add, 6, 6, 5},          {locals_add, 7, 7, 6},          {locals_count_down, 0, 0, 0},
    {locals_poll_if_zero, 0, 0, 0}, {locals_jump_if, 0, 0, 0},      {locals_leave, 7, 0, 0}};

void locals_poll(struct LocalsMachine *machine) {
  machine->polled += machine->registers[6];
  machine->registers[3] ^= machine->polled;
}

unsigned long locals_by_hand(struct LocalsMachine *machine) {
  unsigned long *r = machine->registers;
  unsigned long r0 = r[0], r1 = r[1], r4 = r[4], r5 = r[5], r6 = r[6], r7 = r[7];
  do {
    r1 = r1 * r[2] + 1;
    r4 ^= r1;
    r5 = r4 >> 3;
    r6 += r5;
    r7 += r6;
    --r0;
    if ((r0 & 4095) == 0) {
      r[0] = r0, r[1] = r1, r[4] = r4, r[5] = r5, r[6] = r6, r[7] = r7;
      locals_poll(machine);
      r0 = r[0], r1 = r[1], r4 = r[4], r5 = r[5], r6 = r[6], r7 = r[7];
    }
  } while (r0);
  r[0] = r0, r[1] = r1, r[4] = r4, r[5] = r5, r[6] = r6, r[7] = r7;
  return r7;
}
