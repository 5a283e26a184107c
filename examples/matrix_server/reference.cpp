// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reference.h"

namespace matmul {

Matrix reference_product(const Matrix &a, const Matrix &b, std::uint64_t n) {
  Matrix c(n * n);
  for (std::uint64_t i = 0; i < n; ++i)
    for (std::uint64_t k = 0; k < n; ++k) // k before j: reads b row by row, seconds less at 1024
      for (std::uint64_t j = 0; j < n; ++j)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
  return c;
}

} // namespace matmul
