// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A binding of arguments behind an empty structure, which is no parameter of the machine's.
#include "shape.h"
struct Empty {};
SHAPE_C SARTOR_HANDLER long empty(Empty, long a, long b) { return a * 10 + sartor_generic("b", b); }
CALLED(empty);
HANDLERS(LISTED(empty));
BINDINGS({"empty", 1, 3, nullptr}, {"empty", 2, 4, nullptr});
SHAPE_C void program_run(unsigned input) {
  const long a = LOW(input), b = HIGH(input);
  if (program_bindings[0].bound && a == 3)
    observe_number(reinterpret_cast<long (*)(Empty, long)>(program_bindings[0].bound)({}, b));
  else if (program_bindings[1].bound && b == 4)
    observe_number(reinterpret_cast<long (*)(Empty, long)>(program_bindings[1].bound)({}, a));
  else
    observe_number(call_empty({}, a, b));
}
