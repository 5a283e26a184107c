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

/** log() is only reached where `use` is not 0. */
double weighed(double scale, int use, double x);
/** What it computes is a denormal number. */
double tiny(double value, double x);
double on_curve(const struct Curve *curve, double x);
/** What the rounding mode decides, compiled to mind it: a third of a point, times x. */
double minded_thirds(double value, double x);
double minded_curve(const struct Curve *curve, double x);

#ifdef __cplusplus
}
#endif
#endif
