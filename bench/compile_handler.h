// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_COMPILE_HANDLER_H
#define SARTOR_BENCH_COMPILE_HANDLER_H

#include <cstddef>
#include <cstdint>

/// The handler whose compile is timed: a blocked matrix product with the points N and B.
extern "C" void bench_product(const std::uint64_t *__restrict a, const std::uint64_t *__restrict b,
                              std::uint64_t *__restrict c, std::size_t n, std::size_t block);

#endif
