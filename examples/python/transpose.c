// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stddef.h>
#include <stdint.h>

#include <sartor/points.h>

/// Number of transposed matrices. The explorer reads it.
uint64_t transposed = 0;

/// Transposes a matrix of n by n numbers, in blocks. Any block size gives the same result.
SARTOR_HANDLER void transpose(const float *from, float *to, size_t n, size_t rows, size_t columns) {
  const size_t height = sartor_enum("rows", rows, 1, 4, 8, 16, 32, 64);
  const size_t width = sartor_enum("columns", columns, 1, 4, 8, 16, 32, 64);
  for (size_t i = 0; i < n; i += height)
    for (size_t j = 0; j < n; j += width)
      for (size_t y = i; y < i + height && y < n; ++y)
        for (size_t x = j; x < j + width && x < n; ++x)
          to[x * n + y] = from[y * n + x];
  __atomic_add_fetch(&transposed, 1, __ATOMIC_RELAXED);
}
