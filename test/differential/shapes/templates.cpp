// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handlers that are templates, of two types, and a helper with points that is one.
#include "shape.h"
template <class T> T helped(T x) { return sartor_generic("helped", x != T(0)) ? x + T(1) : T(9); }
template <class T> SARTOR_HANDLER T doubled(T x) {
  return helped(x) * T(2) + (sartor_assume("positive", x > T(0)) ? T(1) : T(3));
}
template long doubled<long>(long);
template double doubled<double>(double);
static long (*volatile call_long)(long) = doubled<long>;
static double (*volatile call_double)(double) = doubled<double>;
HANDLERS({"_Z7doubledIlET_S0_", (void **)&call_long},
         {"_Z7doubledIdET_S0_", (void **)&call_double});
SHAPE_C void program_run(unsigned input) {
  observe_number(call_long(LOW(input) - 2));
  const double d = call_double(double(HIGH(input)) / 2 - 1);
  observe(&d, sizeof d);
}
