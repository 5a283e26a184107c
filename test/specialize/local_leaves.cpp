// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handlers that are left in the middle while they use local memory.
#include <sartor/points.h>

#include "local_leaves.h"

SARTOR_HANDLER long local_leaves(long bias, long *memory, long steps) {
  long *registers = sartor_local(memory, local_leaves_registers * sizeof(long));
  for (long i = 0; i < steps; ++i) {
    registers[1] += bias + i;
    local_may_throw(i);
    registers[2] += 3 * registers[1];
    if (registers[2] > 900)
      local_jump_away();
    registers[0] ^= registers[2];
  }
  return registers[0];
}

SARTOR_HANDLER long local_catches(long bias, long *memory, long steps) {
  long *registers = sartor_local(memory, local_leaves_registers * sizeof(long));
  for (long i = 0; i < steps; ++i) {
    try {
      registers[1] += bias;
      local_may_throw(i);
      registers[2] += registers[1];
    } catch (long number) {
      registers[0] += number; // and continues
    }
  }
  return registers[0] + registers[1];
}
