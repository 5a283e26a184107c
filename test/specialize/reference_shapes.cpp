// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reference_shapes.h"

#include <sartor/points.h>

namespace {

struct Square final : Figure {
  using Figure::Figure;
  [[nodiscard]] long area(long scale) const override { return side * side * scale; }
};

long apply(Operation operation, long x) { return operation(x); }

void add_step(long *sum) { *sum += stepped(*sum); }

} // namespace

long twice(long x) { return 2 * x; }
long negated(long x) { return -x; }
long stepped(long x) { return x + sartor_generic("step", x); }

const Operations plain_operations = {twice, negated};
const Operations other_operations = {negated, stepped};

const Figure &square_of_three() {
  static const Square square(3);
  return square;
}

SARTOR_HANDLER long by_pointer(const void *, Operation operation, long x) {
  return sartor_enum("operation", operation, twice, negated, stepped)(x);
}

SARTOR_HANDLER long by_table(const void *, const Operations *operations, long x) {
  return sartor_enum("operations", operations, &plain_operations, &other_operations)->second(x);
}

SARTOR_HANDLER long applied(const void *, long x) {
  long sum = 0;
  for (long i = 0; i < x; ++i)
    sum += apply(twice, i);
  return sum;
}

SARTOR_HANDLER long by_method(const Figure *figure, long scale) { return figure->area(scale); }

SARTOR_HANDLER Operation handed_out(const void *, long x) {
  return sartor_generic("handed", x) > 0 ? stepped : nullptr;
}

SARTOR_HANDLER long lent(const void *, long x) {
  call_three_times(add_step, &x);
  return x;
}
