/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Vectors wider than the program's registers: variants take and return them as native code does. */
#include "shape.h"
typedef float v8f __attribute__((vector_size(32)));
typedef long v8l __attribute__((vector_size(64)));
typedef int v4i __attribute__((vector_size(16)));
v8f opaque_vector(float x);
__attribute__((noinline)) static v8f local_vector(float x) {
  v8f r;
  for (int i = 0; i < 8; ++i)
    r[i] = x + (float)i;
  return r;
}
static v8f (*volatile by_pointer)(float) = local_vector;
SARTOR_HANDLER v8f scale32(v8f v, int k) { return v * (float)sartor_generic("32", k); }
SARTOR_HANDLER v8l scale64(v8l v, long k) { return v * sartor_generic("64", k); }
SARTOR_HANDLER v4i scale16(v4i v, int k) { return v * sartor_generic("16", k); }
SARTOR_HANDLER float calls(int k) {
  k = sartor_generic("calls", k);
  const v8f a = opaque_vector((float)k), b = by_pointer((float)k);
  float sum = 0;
  for (int i = 0; i < 8; ++i)
    sum += a[i] * 10 + b[i];
  return sum;
}
CALLED(scale32);
CALLED(scale64);
CALLED(scale16);
CALLED(calls);
HANDLERS(LISTED(scale32), LISTED(scale64), LISTED(scale16), LISTED(calls));
void program_run(unsigned input) {
  const int k = (int)LOW(input);
  const v8f a = call_scale32((v8f){1, 2, 3, 4, 5, 6, 7, 8}, k);
  observe(&a, sizeof a);
  const v8l b = call_scale64((v8l){1, 2, 3, 4, 5, 6, 7, 8}, k);
  observe(&b, sizeof b);
  const v4i c = call_scale16((v4i){1, 2, 3, 4}, k);
  observe(&c, sizeof c);
  const float d = call_calls(k);
  observe(&d, sizeof d);
}
