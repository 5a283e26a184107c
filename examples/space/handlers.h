// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SPACE_HANDLERS_H
#define SPACE_HANDLERS_H

#include <cstddef>
#include <cstdint>

/// Parameters that change only the speed.
struct Tuning {
  std::size_t rows, columns; ///< Size of a tile.
  int prefetch;
  std::size_t ahead; ///< Distance of prefetching, in elements.
};

/// A weighted sum of a square matrix, read tile by tile.
std::uint64_t weighted_sum(const std::uint32_t *matrix, std::size_t size, const Tuning &tuning);

#endif
