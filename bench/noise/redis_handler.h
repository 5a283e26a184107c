// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_NOISE_REDIS_HANDLER_H
#define SARTOR_BENCH_NOISE_REDIS_HANDLER_H

#include <cstddef>
#include <cstdint>

namespace sartor::bench {

/// Returns the vector of `dimensions` numbers that has the largest product with `query`, among
/// `count` contiguous ones. `lanes` is 1, 2, 4, 8 or 16 and affects only the speed.
std::size_t nearest(const std::int8_t *vectors, std::size_t count, std::size_t dimensions,
                    const std::int8_t *query, std::size_t lanes);

} // namespace sartor::bench

#endif
