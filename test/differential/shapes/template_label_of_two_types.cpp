// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A template's label stands for points of two types.
#include "shape.h"
template <class T> SARTOR_HANDLER T doubled(T x) { return sartor_generic("x", x) * T(2); }
template long doubled<long>(long);
template double doubled<double>(double);
static long (*volatile call_long)(long) = doubled<long>;
static double (*volatile call_double)(double) = doubled<double>;
HANDLERS({"_Z7doubledIlET_S0_", (void **)&call_long},
         {"_Z7doubledIdET_S0_", (void **)&call_double});
SHAPE_C void program_run(unsigned input) {
  observe_number(call_long(LOW(input)));
  const double d = call_double(double(HIGH(input)) / 2);
  observe(&d, sizeof d);
}
