// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// main [BLOCKS]: filters blocks of noise, and prints the power of the result.
#include <stdio.h>
#include <stdlib.h>

#include "fir.h"

enum { block = 4096, order = 16 };

int main(int argc, char **argv) {
  const long blocks = argc > 1 ? atol(argv[1]) : 1000;
  static float in[block + order - 1], out[block];
  const float taps[order] = {1, 2, 4, 7, 11, 15, 18, 20, 20, 18, 15, 11, 7, 4, 2, 1};
  unsigned noise = 1;
  for (size_t i = 0; i < sizeof in / sizeof *in; ++i)
    in[i] = (float)(noise = noise * 1664525 + 1013904223) / 4e9F;
  double power = 0;
  for (long i = 0; i < blocks; ++i) {
    fir(out, in, block, taps, order);
    power += (double)out[i % block] * out[i % block];
  }
  printf("power %.6g\n", power / (double)blocks);
  return 0;
}
