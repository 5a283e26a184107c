/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_TEST_ENGINE_FLOAT_HANDLERS_H
#define SARTOR_TEST_ENGINE_FLOAT_HANDLERS_H

#ifdef __cplusplus
extern "C" {
#endif

struct Curve {
  double steps;
  double scale;
};

/** Calls log() only if `use` is not 0. */
double weighed(double scale, int use, double x);
/** Its result is a denormal number. */
double tiny(double value, double x);
double on_curve(const struct Curve *curve, double x);
/** Returns a third of a point's value, times x. Compiled with -frounding-math, so the result
 * depends on the rounding mode. */
double minded_thirds(double value, double x);
double minded_curve(const struct Curve *curve, double x);

#ifdef __cplusplus
}
#endif
#endif
