/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef FIR_H
#define FIR_H

#include <stddef.h>

/** A finite impulse response filter. `out` gets `count` samples, `in` has count + order - 1. */
void fir(float *out, const float *in, size_t count, const float *taps, size_t order);

#endif
