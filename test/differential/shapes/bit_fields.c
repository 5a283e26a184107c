/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bit-fields keep their type in expressions around a point: unsigned ones of few bits become int.
 */
#include "shape.h"
#include <stdint.h>
struct Fields {
  unsigned a : 5;
  unsigned long b : 20;
  signed c : 3;
  _Bool d : 1;
  unsigned e : 32;
  unsigned long long w : 40;
};
SARTOR_HANDLER int bits(const struct Fields *s) {
  int r = 0;
  if (sartor_generic("a", s->a) - 10 < 0)
    r |= 1;
  if (sartor_generic("b", s->b) - 10 < 0)
    r |= 2;
  r |= sartor_generic("c", s->c) * 16;
  if (sartor_generic("d", s->d))
    r |= 8;
  if (sartor_enum("e", s->e, 1, 2, 3) - 10 > 100)
    r |= 256;
  if ((sartor_generic("w", s->w) << 30 >> 30) != s->w)
    r |= 512;
  return r;
}
CALLED(bits);
HANDLERS(LISTED(bits));
void program_run(unsigned input) {
  const struct Fields s = {input % 12, input * 3 % 20, (int)(input % 4) - 2,
                           input % 2,  input % 5,      (uint64_t)input << 32};
  observe_number((unsigned long long)call_bits(&s));
}
