/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "match.h"

SARTOR_HANDLER int match(const struct program *program, const char *text) {
  struct choice stack[MOST_CHOICES];
  int depth = 0;
  int pc = 0;
  const char *at = text;
  for (;;) {
    const struct instruction *i = &program->code[pc++];
    switch (i->operation) {
    case CHARACTER:
      if (*at++ == i->character)
        break;
      if (depth == 0)
        return 0;
      --depth;
      const int place = sartor_one_of(stack[depth].place);
      if (!__builtin_constant_p(place))
        return go_on(program, stack, depth + 1);
      pc = place;
      at = stack[depth].at;
      break;
    case TRY: /* continue here first, and with the alternative after a failure */
      if (depth == MOST_CHOICES)
        return 0;
      stack[depth++] = (struct choice){sartor_one_of(i->other), at};
      break;
    case JUMP:
      pc = i->other;
      break;
    case FOUND:
      return 1;
    }
  }
}
