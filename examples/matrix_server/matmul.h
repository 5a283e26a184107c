// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MATMUL_MATMUL_H
#define MATMUL_MATMUL_H

#include <cstdint>

namespace matmul {

/// Rows and columns of the product that one call computes. A product is computed in pieces so that
/// neither the event loop nor a trial of the explorer has to wait for all of a large one.
inline constexpr std::uint64_t stripe = 64;

} // namespace matmul

/// The handler of this study: of c = a · b, all n × n, row by row, arithmetic modulo 2^64, computes
/// the 64 columns from `column` on in the stripe of 64 rows from `row` on. `n`, `row` and `column`
/// are multiples of 64; `block` is 2, 4, 8, 16, 32 or 64 and affects only the speed.
extern "C" void multiply_stripe(const std::uint64_t *__restrict a,
                                const std::uint64_t *__restrict b, std::uint64_t *__restrict c,
                                std::uint64_t n, std::uint64_t block, std::uint64_t row,
                                std::uint64_t column);

#endif
