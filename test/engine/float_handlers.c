/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "float_handlers.h"

#include <math.h>

#include <sartor/points.h>

SARTOR_HANDLER double weighed(double scale, int use, double x) {
  const double known = sartor_generic("scale", scale);
  if (use)
    return log(known) + x;
  return known * x;
}

SARTOR_HANDLER double tiny(double value, double x) {
  const double known = sartor_generic("tiny", value);
  return known * x;
}

SARTOR_FOLD double slope_of(const struct Curve *curve) { return 1 / curve->steps; }

SARTOR_HANDLER double on_curve(const struct Curve *curve, double x) {
  return slope_of(curve) * curve->steps * x;
}
