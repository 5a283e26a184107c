// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled with -O3 for any x86-64, as distributions and most build systems do.
#include "matmul_kernel.h"
#include "matmul_versions.h"

namespace sartor::bench {

void variable_product(const std::uint64_t *__restrict a, const std::uint64_t *__restrict b,
                      std::uint64_t *__restrict c, std::size_t n, std::size_t block) {
  blocked_product(a, b, c, n, block);
}

} // namespace sartor::bench
