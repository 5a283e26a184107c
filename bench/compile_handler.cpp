// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compile_handler.h"

#include <sartor/points.h>

#include "matmul_kernel.h"

extern "C" SARTOR_HANDLER void bench_product(const std::uint64_t *__restrict a,
                                             const std::uint64_t *__restrict b,
                                             std::uint64_t *__restrict c, std::size_t n,
                                             std::size_t block) {
  sartor::bench::blocked_product(a, b, c, sartor_generic("N", n),
                                 sartor_enum("B", block, 2, 4, 8, 16, 32, 64));
}
