/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Structures as results: in registers, and in memory that the caller gives. */
#include "shape.h"
struct Two {
  long a, b;
};
struct Big {
  long cells[9];
};
struct Floats {
  float x, y, z;
};
SARTOR_HANDLER struct Two two(long a, long b) {
  return (struct Two){sartor_generic("two", a) * 3, b};
}
SARTOR_HANDLER struct Big big(long a, long b) {
  struct Big r = {{a, b}};
  for (int i = 2; i < 9; ++i)
    r.cells[i] = r.cells[i - 1] * sartor_generic("big", a) + i;
  return r;
}
SARTOR_HANDLER struct Floats floats(struct Floats f, int k) {
  return (struct Floats){f.z, f.x * (float)sartor_generic("floats", k), f.y};
}
CALLED(two);
CALLED(big);
CALLED(floats);
HANDLERS(LISTED(two), LISTED(big), LISTED(floats));
BINDINGS({"two", 0, 3, 0}, {"big", 1, 2, 0});
void program_run(unsigned input) {
  const long a = LOW(input), b = HIGH(input);
  const struct Two t = program_bindings[0].bound && a == 3
                           ? ((struct Two (*)(long))program_bindings[0].bound)(b)
                           : call_two(a, b);
  observe(&t, sizeof t);
  const struct Big g = program_bindings[1].bound && b == 2
                           ? ((struct Big (*)(long))program_bindings[1].bound)(a)
                           : call_big(a, b);
  observe(&g, sizeof g);
  const struct Floats f = call_floats((struct Floats){1.5f, 2.5f, (float)b}, (int)a);
  observe(&f, sizeof f);
}
