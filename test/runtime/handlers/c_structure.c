/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <sartor/points.h>

struct range {
  double from, to;
};

long steps(struct range r, double width);

SARTOR_HANDLER long steps(struct range r, double width) { return (long)((r.to - r.from) / width); }
