// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fast paths of functions with results and arguments of all sizes.
#include "shape.h"
static double doubled(double x) { return x * 2; }
static unsigned char narrow(unsigned char a, bool b, signed char c) {
  return static_cast<unsigned char>(a + b * 3 + c);
}
static const char *text(int i) { return i == 3 ? "three!" : "else"; }
static unsigned version;
static long factor = 1;
[[gnu::noinline]] static long scaled(long x) { return x * factor; }
SHAPE_C SARTOR_HANDLER double fast_double(double x) {
  return sartor_fast_path("double", doubled, x);
}
SHAPE_C SARTOR_HANDLER int fast_narrow(int a, int b, int c) {
  return sartor_fast_path("narrow", narrow, static_cast<unsigned char>(a), (b & 1) != 0,
                          static_cast<signed char>(c));
}
SHAPE_C SARTOR_HANDLER const char *fast_text(int i) { return sartor_fast_path("text", text, i); }
SHAPE_C SARTOR_HANDLER long fast_versioned(long x) {
  return sartor_fast_path_versioned("versioned", &version, scaled, x);
}
CALLED(fast_double);
CALLED(fast_narrow);
CALLED(fast_text);
CALLED(fast_versioned);
HANDLERS(LISTED(fast_double), LISTED(fast_narrow), LISTED(fast_text), LISTED(fast_versioned));
SHAPE_C void program_run(unsigned input) {
  const double d = call_fast_double(double(LOW(input)) / 2);
  observe(&d, sizeof d);
  observe_number(call_fast_narrow(int(LOW(input)) * 60, int(HIGH(input)), -int(HIGH(input))));
  observe_text(call_fast_text(int(LOW(input))));
  for (int turn = 0; turn < 2; ++turn) {
    observe_number(call_fast_versioned(LOW(input)));
    ++version;
    factor = turn == 0 ? 3 : 1;
    ++version;
  }
}
