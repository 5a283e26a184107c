/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions of the mathematics library with an argument that a guard knows: bit by bit what the
 * library gives. */
#include "shape.h"
#include <math.h>
SARTOR_HANDLER float sine(float x) { return sinf(sartor_generic("sin", x)); }
SARTOR_HANDLER double power(double x, double e) { return pow(x, sartor_generic("pow", e)); }
SARTOR_HANDLER float exponential(float x) { return expf(sartor_generic("exp", x)); }
SARTOR_HANDLER float root(float x) { return powf(sartor_generic("root", x), 1.7f); }
SARTOR_HANDLER double contracted(double x, double y) { return sartor_generic("c", x) * y + 0.1; }
SARTOR_HANDLER long no_number(double x) {
  const double y = sartor_generic("nan", x);
  return isnan(y / y) ? 1 : 2;
}
CALLED(sine);
CALLED(power);
CALLED(exponential);
CALLED(root);
CALLED(contracted);
CALLED(no_number);
HANDLERS(LISTED(sine), LISTED(power), LISTED(exponential), LISTED(root), LISTED(contracted),
         LISTED(no_number));
void program_run(unsigned input) {
  const float x = (float)(input * 37 % 101) / 7;
  const float f[] = {call_sine(x), call_exponential(x), call_root(x)};
  observe(f, sizeof f);
  const double d[] = {call_power(x + 0.1, (double)LOW(input)),
                      call_contracted((double)LOW(input) / 3, x)};
  observe(d, sizeof d);
  observe_number((unsigned long long)call_no_number((double)LOW(input)));
}
