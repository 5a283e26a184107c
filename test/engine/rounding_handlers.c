/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compiled with -frounding-math. */
#include "float_handlers.h"

#include <sartor/points.h>

SARTOR_HANDLER double minded_thirds(double value, double x) {
  const double known = sartor_generic("thirds", value);
  return known / 3 * x;
}

SARTOR_HANDLER double minded_curve(const struct Curve *curve, double x) {
  return curve->scale / curve->steps + (curve->scale + 1e30) * x;
}
