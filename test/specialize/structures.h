/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Structures of many shapes, and a handler for each that takes one by value between numbers. The
 * handlers are compiled four times: as C and C++, unoptimised and optimised.
 *
 * STRUCTURES(X) is a list of X(name, digest of s, initial value, members...).
 */
#ifndef SARTOR_TEST_SPECIALIZE_STRUCTURES_H
#define SARTOR_TEST_SPECIALIZE_STRUCTURES_H

#include <stdbool.h>

struct InnerPair {
  int a;
  float b;
};
union Either {
  double real;
  long whole;
};

struct Step {
  short operation;
  short operand;
};
struct Steps {
  struct Step steps[16];
};

#define OF(...) {__VA_ARGS__}

#define STRUCTURES(X)                                                                              \
  X(Byte, s.a, OF(-7), signed char a;)                                                             \
  X(ThreeBytes, s.a[0] + 3 * s.a[1] + 5 * s.a[2], OF({1, 2, 200}), unsigned char a[3];)            \
  X(FiveBytes, s.a + 3 * s.b, OF(-70000, -3), int a; signed char b;)                               \
  X(Flag, s.a ? s.b : -s.b, OF(1, 9), bool a; short b;)                                            \
  X(Int, s.a, OF(-123456), int a;)                                                                 \
  X(TwoInts, s.a - 31L * s.b, OF(5, -6), int a; int b;)                                            \
  X(ThreeInts, s.a + 3L * s.b - 31L * s.c, OF(5, -6, 7), int a; int b; int c;)                     \
  X(TwoLongs, s.a - 31 * s.b, OF(1L << 40, -2), long a; long b;)                                   \
  X(IntLong, s.a - 31 * s.b, OF(-1, 1L << 50), int a; long b;)                                     \
  X(LongByte, s.a - 31 * s.b, OF(1L << 50, -1), long a; signed char b;)                            \
  X(BitFields, s.a + 3 * s.b + 31L * s.c, OF(5, -3, 70000), unsigned a : 5; int b : 4;             \
    unsigned c : 20;)                                                                              \
  X(Float, (long)(s.a * 8), OF(0.25F), float a;)                                                   \
  X(TwoFloats, (long)(s.a * 8 - s.b), OF(0.25F, 16), float a; float b;)                            \
  X(ThreeFloats, (long)(s.a * 8 - s.b + s.c), OF(0.25F, 16, 3), float a; float b; float c;)        \
  X(FourFloats, (long)(s.a * 8 - s.b + s.c * s.d), OF(0.25F, 16, 3, 5), float a; float b; float c; \
    float d;)                                                                                      \
  X(Double, (long)(s.a * 8), OF(-0.125), double a;)                                                \
  X(TwoDoubles, (long)(s.a * 8 - s.b), OF(-0.125, 1e9), double a; double b;)                       \
  X(DoubleLong, (long)(s.a * 8) - s.b, OF(-0.125, 99), double a; long b;)                          \
  X(LongDouble, s.a - (long)(s.b * 8), OF(99, -0.125), long a; double b;)                          \
  X(FloatInt, (long)(s.a * 8) - s.b, OF(-0.125F, 99), float a; int b;)                             \
  X(IntFloatDouble, s.a + (long)(s.b * 8 + s.c), OF(1, 2, 3), int a; float b; double c;)           \
  X(Pointer, *s.a, OF(structure_cells), const long *a;)                                            \
  X(Span, s.a[s.n - 1] + s.n, OF(structure_cells, 3), const long *a; unsigned long n;)             \
  X(PointerDouble, s.a[1] + (long)s.b, OF(structure_cells, 7), const long *a; double b;)           \
  X(Nested, s.a.a + (long)(s.a.b * 8) - s.b, OF({4, 0.5F}, 6), struct InnerPair a; long b;)        \
  X(OfUnion, s.a.whole - s.b, OF({0.5}, 6), union Either a; int b;)                                \
  X(ArrayOfInts, s.a[0] + 3L * s.a[1] - s.a[3], OF({1, -2, 3, -4}), int a[4];)                     \
  X(Packed, s.a + 31 * s.b, OF(3, 1L << 33), signed char a; long b __attribute__((packed));)       \
  X(Aligned, s.a, OF(-5), int a __attribute__((aligned(16)));)                                     \
  X(Extended, (long)(s.a * 8), OF(-0.125L), long double a;)                                        \
  X(Wide, (long)(s.a >> 60) + (long)s.a, OF((__int128)5 << 64 | 9), __int128 a;)                   \
  X(ThreeLongs, s.a + 3 * s.b - 31 * s.c, OF(1, -2, 3), long a; long b; long c;)                   \
  X(FourDoubles, (long)(s.a[0] + 3 * s.a[3]), OF({1, 2, 3, 4}), double a[4];)                      \
  X(SeventeenBytes, s.a[0] + 3 * s.a[16], OF({1, 2, 3}), signed char a[17];)                       \
  X(Large, s.a[0] + 3 * s.a[9] - 31 * s.a[19] + s.b, OF({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 12),  \
    long a[20];                                                                                    \
    int b;)

static const long structure_cells[3] = {10, 20, 33};

#define DECLARE_STRUCTURE(name, digest, initial, ...)                                              \
  struct name {                                                                                    \
    __VA_ARGS__                                                                                    \
  };
STRUCTURES(DECLARE_STRUCTURE)

#endif
