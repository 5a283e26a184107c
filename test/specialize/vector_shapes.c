/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Handlers in C with loops for vectors. */
#include <sartor/points.h>

/* The arrays may overlap. */
SARTOR_HANDLER void variant_adds_products(long n, double *sums, const double *factor,
                                          const double *numbers) {
  n = sartor_generic("variant_adds_products", n);
  for (long i = 0; i < n; ++i)
    sums[i] += *factor * numbers[i];
}

static const double variant_weights[16] = {1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3};

SARTOR_HANDLER void variant_adds_weighted(long n, double *sums, const double *numbers) {
  n = sartor_generic("variant_adds_weighted", n);
  for (long i = 0; i < n; ++i)
    sums[i] += variant_weights[i] * numbers[i];
}
