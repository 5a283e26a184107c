// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matmul_kernel.h"
#include "matmul_versions.h"

#include <sartor/points.h>

namespace sartor::bench {

SARTOR_HANDLER void product(const std::uint64_t *__restrict a, const std::uint64_t *__restrict b,
                            std::uint64_t *__restrict c, std::size_t n, std::size_t block) {
  blocked_product(a, b, c, n, sartor_enum("B", block, 2, 4, 8, 16, 32, 64));
}

} // namespace sartor::bench
