// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_TEMPLATE_HANDLER_H
#define SARTOR_BENCH_TEMPLATE_HANDLER_H

#include <cstddef>
#include <cstdint>

/// A handler whose points, scale and offset, are used as operands only.
extern "C" std::uint64_t bench_scaled(const std::uint64_t *values, std::size_t count,
                                      std::uint64_t scale, std::uint64_t offset);

#endif
