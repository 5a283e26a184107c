// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_MATMUL_VERSIONS_H
#define SARTOR_BENCH_MATMUL_VERSIONS_H

#include <cstddef>
#include <cstdint>

namespace sartor::bench {

/// The settings of B.
constexpr std::size_t kBlocks[] = {2, 4, 8, 16, 32, 64};

using Product = void(const std::uint64_t *__restrict, const std::uint64_t *__restrict,
                     std::uint64_t *__restrict, std::size_t n, std::size_t block);

/// Compiled ahead of time with -O3, as programs usually are, with a variable block.
Product variable_product;
/// Compiled with -O3 -march=native: the remaining difference is the gain of knowing the block.
Product tuned_variable_product;
/// Compiled ahead of time with -O3 -march=native, with the block as a constant in the source;
/// `block` is ignored.
template <std::size_t B> Product constant_product;
/// The handler, with the point B.
Product product;

} // namespace sartor::bench

#endif
