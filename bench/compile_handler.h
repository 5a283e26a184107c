// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_COMPILE_HANDLER_H
#define SARTOR_BENCH_COMPILE_HANDLER_H

#include <cstddef>
#include <cstdint>

/// A blocked matrix product with the points N and B, whose compile time is measured.
extern "C" void bench_product(const std::uint64_t *__restrict a, const std::uint64_t *__restrict b,
                              std::uint64_t *__restrict c, std::size_t n, std::size_t block);

#endif
