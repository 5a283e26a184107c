/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A binding of an argument behind a complex number, and one behind a structure of two kinds. */
#include "shape.h"
struct Mixed {
  double d;
  long l;
};
SARTOR_HANDLER double complex_by(_Complex double z, long k) {
  return __real__ z * 100 + __imag__ z * 10 + (double)sartor_generic("k", k);
}
SARTOR_HANDLER long mixed_by(struct Mixed m, long k, long j) {
  return (long)m.d * 1000 + m.l * 100 + sartor_generic("m", k) * 10 + j;
}
CALLED(complex_by);
CALLED(mixed_by);
HANDLERS(LISTED(complex_by), LISTED(mixed_by));
BINDINGS({"complex_by", 1, 3, 0}, {"mixed_by", 1, 3, 0}, {"mixed_by", 2, 4, 0});
void program_run(unsigned input) {
  const _Complex double z = 1.5 + 2.5i;
  const struct Mixed m = {2.5, 7};
  const long a = LOW(input), b = HIGH(input);
  const double c = program_bindings[0].bound && a == 3
                       ? ((double (*)(_Complex double))program_bindings[0].bound)(z)
                       : call_complex_by(z, a);
  observe(&c, sizeof c);
  if (program_bindings[1].bound && a == 3)
    observe_number(((long (*)(struct Mixed, long))program_bindings[1].bound)(m, b));
  else if (program_bindings[2].bound && b == 4)
    observe_number(((long (*)(struct Mixed, long))program_bindings[2].bound)(m, a));
  else
    observe_number(call_mixed_by(m, a, b));
}
