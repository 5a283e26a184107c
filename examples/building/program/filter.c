// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "filter.h"

#include <sartor/points.h>

SARTOR_HANDLER size_t count_bytes(const unsigned char *bytes, size_t size, unsigned char wanted,
                                  size_t step) {
  const unsigned char byte = sartor_generic("byte", wanted);
  const size_t stride = sartor_enum("stride", step, 1, 4);
  size_t count = 0;
  for (size_t i = 0; i < size; i += stride)
    count += bytes[i] == byte;
  return count;
}
