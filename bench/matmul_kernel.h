// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_MATMUL_KERNEL_H
#define SARTOR_BENCH_MATMUL_KERNEL_H

#include <cstddef>
#include <cstdint>

namespace sartor::bench {

/// Adds a * b to c, for square matrices of n by n, block by block; `block` divides n. One text for
/// all versions that are compared: they differ only in the compiler's knowledge of `block`.
[[gnu::always_inline]] inline void blocked_product(const std::uint64_t *__restrict a,
                                                   const std::uint64_t *__restrict b,
                                                   std::uint64_t *__restrict c, std::size_t n,
                                                   std::size_t block) {
  // The inner loops count from 0: from i0 to i0 + block, the compiler could not exclude a
  // wraparound of the sum, and would not know that they run `block` times.
  for (std::size_t i0 = 0; i0 < n; i0 += block)
    for (std::size_t j0 = 0; j0 < n; j0 += block)
      for (std::size_t k0 = 0; k0 < n; k0 += block)
        for (std::size_t i = 0; i < block; ++i)
          for (std::size_t j = 0; j < block; ++j)
            for (std::size_t k = 0; k < block; ++k)
              c[(i0 + i) * n + j0 + j] += a[(i0 + i) * n + k0 + k] * b[(k0 + k) * n + j0 + j];
}

} // namespace sartor::bench

#endif
