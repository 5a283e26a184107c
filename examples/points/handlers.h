// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

struct Image {
  const std::uint8_t *samples; ///< height * width * channels, row by row.
  std::size_t width, height;
  int channels;
  unsigned shift;
  bool inverted;
};

/// Returns the sum of all samples (of 255 - sample if inverted), each shifted right by `shift`.
std::uint64_t brightness(const Image &image);
