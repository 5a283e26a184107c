/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <sartor/points.h>

unsigned c_handler(unsigned x, unsigned mode);

SARTOR_HANDLER unsigned c_handler(unsigned x, unsigned mode) {
  return x * sartor_enum("c_mode", mode, 1, 2, 3);
}
