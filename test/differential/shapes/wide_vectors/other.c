/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* fixed */
typedef float v8f __attribute__((vector_size(32)));
v8f opaque_vector(float x);
v8f opaque_vector(float x) { return (v8f){x, x + 1, x, x * 2, x, x, x - 1, x}; }
