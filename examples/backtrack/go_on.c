/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "match.h"

/* The same loop as in match(), but not in a handler. A variant of match() calls it if the place to
 * continue at is none of the known ones. */
int go_on(const struct program *program, struct choice *stack, int depth) {
  while (depth > 0) {
    int pc = stack[--depth].place;
    const char *at = stack[depth].at;
    for (int failed = 0; !failed;) {
      const struct instruction *i = &program->code[pc++];
      switch (i->operation) {
      case CHARACTER:
        failed = *at++ != i->character;
        break;
      case TRY:
        if (depth == MOST_CHOICES)
          return 0;
        stack[depth++] = (struct choice){i->other, at};
        break;
      case JUMP:
        pc = i->other;
        break;
      case FOUND:
        return 1;
      }
    }
  }
  return 0;
}
