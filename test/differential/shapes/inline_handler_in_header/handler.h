// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An inline handler in a header that two files include.
#pragma once
#include "shape.h"
inline SARTOR_HANDLER long shared(long x) { return sartor_generic("x", x) * 3 + 1; }
inline long helper(long x) {
  static long calls = 0;
  return x + (++calls > 0 ? sartor_generic("h", x) : 0);
}
