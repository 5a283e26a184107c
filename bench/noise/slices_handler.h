// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_NOISE_SLICES_HANDLER_H
#define SARTOR_BENCH_NOISE_SLICES_HANDLER_H

#include <array>
#include <cstddef>
#include <cstdint>

namespace sartor::bench {

inline constexpr std::size_t kSide = 24;

struct Matrices {
  std::array<std::uint64_t, kSide * kSide> a{}, b{}, c{};
};

/// Serves one request: a product of two small matrices, block by block.
void serve_block(Matrices &matrices, std::uint64_t key, std::size_t block);

} // namespace sartor::bench

#endif
