// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/points.h>

#include "library.h"

SARTOR_HANDLER_DIRECT long library_times(long a, long n) noexcept {
  return a * sartor_enum("n", n, 2, 3, 5);
}
