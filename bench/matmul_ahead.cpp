// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled with -O3 for this machine, by the clang whose LLVM Sartor uses.
#include "matmul_kernel.h"
#include "matmul_versions.h"

namespace sartor::bench {

void tuned_variable_product(const std::uint64_t *__restrict a, const std::uint64_t *__restrict b,
                            std::uint64_t *__restrict c, std::size_t n, std::size_t block) {
  blocked_product(a, b, c, n, block);
}

template <std::size_t B>
void constant_product(const std::uint64_t *__restrict a, const std::uint64_t *__restrict b,
                      std::uint64_t *__restrict c, std::size_t n, std::size_t) {
  blocked_product(a, b, c, n, B);
}

template Product constant_product<2>;
template Product constant_product<4>;
template Product constant_product<8>;
template Product constant_product<16>;
template Product constant_product<32>;
template Product constant_product<64>;

} // namespace sartor::bench
