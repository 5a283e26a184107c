// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same in C++.
#include "shape.h"
struct Fields {
  unsigned a : 5;
  unsigned long b : 20;
  int c : 3;
  bool d : 1;
};
SHAPE_C SARTOR_HANDLER int bits(const Fields *s) {
  int r = 0;
  if (sartor_generic("a", s->a) - 10 < 0)
    r |= 1;
  if (sartor_generic("b", s->b) - 10 < 0)
    r |= 2;
  r |= sartor_generic("c", s->c) * 16;
  return sartor_generic("d", s->d) ? r | 8 : r;
}
CALLED(bits);
HANDLERS(LISTED(bits));
SHAPE_C void program_run(unsigned input) {
  const Fields s = {input % 12, input * 3 % 20, int(input % 4) - 2, input % 2 == 1};
  observe_number(call_bits(&s));
}
