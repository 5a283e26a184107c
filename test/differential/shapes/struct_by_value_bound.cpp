// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A binding of an argument behind a structure that is passed in two registers.
#include "shape.h"
struct Two {
  long a, b;
};
SHAPE_C SARTOR_HANDLER long two(Two t, long k) {
  return t.a * 100 + t.b * 10 + sartor_generic("k", k);
}
CALLED(two);
HANDLERS(LISTED(two));
BINDINGS({"two", 1, 3, nullptr});
SHAPE_C void program_run(unsigned input) {
  const Two t{LOW(input), 4};
  void *bound = program_bindings[0].bound;
  const bool is_bound = bound && HIGH(input) == 3;
  observe_number(is_bound ? reinterpret_cast<long (*)(Two)>(bound)(t) : call_two(t, HIGH(input)));
}
