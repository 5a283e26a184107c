// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A large handler, for which LLVM passes take long.

#include <sartor/points.h>

#define ONE x = ((x ^ (x >> 3)) * y) + a, y = (y * 3) ^ (x << 2);
#define EIGHT ONE ONE ONE ONE ONE ONE ONE ONE
#define SIXTY EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT
#define MANY SIXTY SIXTY SIXTY SIXTY SIXTY SIXTY SIXTY SIXTY

SARTOR_HANDLER unsigned large(unsigned a, unsigned b) {
  unsigned x = sartor_generic("large", a);
  unsigned y = b;
  MANY MANY MANY MANY return x ^ y;
}
