// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_SPECIALIZE_INTERFACE_SHAPES_H
#define SARTOR_TEST_SPECIALIZE_INTERFACE_SHAPES_H

/// Passed in two registers by code for plain x86-64, and in one by code for AVX.
using Eight = float __attribute__((vector_size(32)));
using Sixteen = float __attribute__((vector_size(64)));

Eight scaled(Eight values, int by);
Sixteen scaled_more(Sixteen values, int by);
float from_native(int seed);
long on_any_machine(const long *values, int by);

/// A native function of the program.
Eight counted_from(float first);

float sine(float x);
float exponential(float x);
float power(float x, float y);
double squared(double x, double exponent);
double fused(double x, double y, double z, int n);

int *thread_slot(int i);
unsigned keyed_by_local(unsigned a, unsigned b);
int not_a_handler(int x);
int computes_nothing_from_it(int x);
int resumes(int steps);
double sum_in_any_order(const double *values, int n);

#endif
