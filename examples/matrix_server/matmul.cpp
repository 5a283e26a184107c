// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matmul.h"

#include <sartor/points.h>

extern "C" SARTOR_HANDLER void multiply_stripe(const std::uint64_t *__restrict a,
                                               const std::uint64_t *__restrict b,
                                               std::uint64_t *__restrict c, std::uint64_t n,
                                               std::uint64_t block, std::uint64_t row,
                                               std::uint64_t column) {
  const std::uint64_t N = sartor_generic("N", n);
  const std::uint64_t B = sartor_enum("B", block, 2, 4, 8, 16, 32, 64);
  const std::uint64_t end_row = row + matmul::stripe;
  const std::uint64_t end_column = column + matmul::stripe;

  // Unrolling this loop alone would make a compilation take half a second.
#pragma clang loop unroll(disable)
  for (std::uint64_t i = row; i < end_row; ++i)
    for (std::uint64_t j = column; j < end_column; ++j)
      c[i * N + j] = 0;

  // The inner loops count from 0: from i0 to i0 + B, the compiler could not rule out that the sum
  // wraps around, and would not know that they run B times.
  for (std::uint64_t i0 = row; i0 < end_row; i0 += B)
    for (std::uint64_t j0 = column; j0 < end_column; j0 += B)
      for (std::uint64_t k0 = 0; k0 < N; k0 += B)
        for (std::uint64_t i = 0; i < B; ++i)
          for (std::uint64_t j = 0; j < B; ++j) {
            std::uint64_t &sum = c[(i0 + i) * N + j0 + j];
            std::uint64_t partial = sum;
            for (std::uint64_t k = 0; k < B; ++k)
              partial += a[(i0 + i) * N + k0 + k] * b[(k0 + k) * N + j0 + j];
            sum = partial;
          }
}
