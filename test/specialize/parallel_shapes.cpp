// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled with -fopenmp; the test defines the function that runs a parallel region.
#include <sartor/points.h>

#include "reference_shapes.h"

SARTOR_HANDLER long forked(const void *, long *cells, long tile) {
#pragma omp parallel
  {
    const long size = sartor_enum("tile", tile, 4, 8);
    for (long i = 0; i < size; ++i)
      cells[i] += size;
  }
  return cells[0];
}
